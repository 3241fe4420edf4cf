-- AlterTable: null means that the sign-in itself is the last proof.
ALTER TABLE "sessions" ADD COLUMN "authenticated_at" TIMESTAMP(3);
