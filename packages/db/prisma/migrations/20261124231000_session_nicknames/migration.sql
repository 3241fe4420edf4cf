-- AlterTable
ALTER TABLE "sessions" ADD COLUMN "nickname" TEXT;
