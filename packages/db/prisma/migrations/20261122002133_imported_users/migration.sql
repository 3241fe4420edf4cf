-- AlterTable
ALTER TABLE "users" ADD COLUMN     "imported_at" TIMESTAMP(3);
