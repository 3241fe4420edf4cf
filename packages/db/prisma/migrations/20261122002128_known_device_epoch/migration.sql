-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "device_epoch" INTEGER NOT NULL DEFAULT 0;
