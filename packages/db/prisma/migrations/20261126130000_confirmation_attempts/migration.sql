-- AlterTable
ALTER TABLE "confirmations" ADD COLUMN     "failed_attempts" SMALLINT NOT NULL DEFAULT 0;
