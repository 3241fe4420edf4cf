-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "passkey_at" TIMESTAMP(3);

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "role" TEXT,
ADD COLUMN     "role_granted_at" TIMESTAMP(3);

ALTER TABLE "users" ADD CONSTRAINT "users_role_check" CHECK ("role" IN ('admin', 'support', 'auditor')) NOT VALID;
CREATE INDEX IF NOT EXISTS "users_role_idx" ON "users"("role") WHERE "role" IS NOT NULL;

-- The search of administrators. Of large tables, build these beforehand and without a lock: docs/operations.md, Upgrade.
CREATE INDEX IF NOT EXISTS "users_suspended_at_idx" ON "users"("id") WHERE "suspended_at" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "users_name_idx" ON "users"((lower("name") COLLATE "C"));
CREATE INDEX IF NOT EXISTS "users_last_name_idx" ON "users"((lower(substring("name" FROM '[^ ]+$')) COLLATE "C"));
CREATE INDEX IF NOT EXISTS "users_domain_idx" ON "users"((split_part("email", '@', 2) COLLATE "C"));
