-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "impersonated_by" TEXT,
ADD COLUMN     "impersonated_from" TEXT;

-- CreateIndex: partial, so that the user's own sessions do not write them. The end of any session reads the first one.
CREATE UNIQUE INDEX IF NOT EXISTS "sessions_impersonated_from_key" ON "sessions"("impersonated_from") WHERE "impersonated_from" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "sessions_impersonated_by_idx" ON "sessions"("impersonated_by") WHERE "impersonated_by" IS NOT NULL;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_impersonated_from_fkey" FOREIGN KEY ("impersonated_from") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE NOT VALID;
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_impersonated_check" CHECK (("impersonated_by" IS NULL) = ("impersonated_from" IS NULL)) NOT VALID;
