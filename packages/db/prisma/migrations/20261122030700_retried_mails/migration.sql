-- AlterTable
ALTER TABLE "queued_mails" ADD COLUMN     "tried_since" TIMESTAMP(3);
