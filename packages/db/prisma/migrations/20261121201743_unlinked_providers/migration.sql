-- AlterTable
ALTER TABLE "users" ADD COLUMN     "unlinked_providers" TEXT[] DEFAULT ARRAY[]::TEXT[];
