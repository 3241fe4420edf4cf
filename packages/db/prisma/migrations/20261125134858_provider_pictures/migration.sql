-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "picture_url" TEXT;
