-- AlterTable
ALTER TABLE "queued_mails" ADD COLUMN     "expires_at" TIMESTAMP(3);
