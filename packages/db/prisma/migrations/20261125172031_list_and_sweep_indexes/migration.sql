-- Of large tables, build these beforehand and without a lock: docs/operations.md, Upgrade.
CREATE INDEX IF NOT EXISTS "invitations_expires_at_idx" ON "invitations"("expires_at");
CREATE INDEX IF NOT EXISTS "users_email_idx" ON "users"("email" COLLATE "C");
CREATE INDEX IF NOT EXISTS "two_factors_created_at_idx" ON "two_factors"("created_at");
CREATE INDEX IF NOT EXISTS "verifications_purpose_expires_at_idx" ON "verifications"("purpose", "expires_at");
CREATE INDEX IF NOT EXISTS "verifications_sealed_idx" ON "verifications"("id") WHERE "payload_sealed" IS NOT NULL;

CREATE INDEX IF NOT EXISTS "queued_mails_next_attempt_at_id_idx" ON "queued_mails"("next_attempt_at", "id");
DROP INDEX "queued_mails_next_attempt_at_idx";
-- Partial, so that deferred mails do not write them.
CREATE INDEX IF NOT EXISTS "queued_mails_new_idx" ON "queued_mails"("id")
  WHERE "next_attempt_at" IS NOT NULL AND "attempts" = 0 AND "last_error" IS NULL;
CREATE INDEX IF NOT EXISTS "queued_mails_refused_idx" ON "queued_mails"((coalesce("tried_since", "created_at")))
  WHERE "next_attempt_at" IS NULL;
CREATE INDEX IF NOT EXISTS "queued_mails_waiting_idx" ON "queued_mails"((coalesce("tried_since", "created_at")))
  WHERE "next_attempt_at" IS NOT NULL;
