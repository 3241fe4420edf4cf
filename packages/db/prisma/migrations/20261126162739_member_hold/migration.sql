-- AlterTable
ALTER TABLE "members" ADD COLUMN     "held_until" TIMESTAMP(3);
