-- Of a large table, build it beforehand and without a lock: docs/operations.md, Upgrade.
-- Partial: events of accounts, which are most, do not write it.
CREATE INDEX IF NOT EXISTS "audit_events_organization_id_id_idx" ON "audit_events"("organization_id", "id") WHERE "organization_id" IS NOT NULL;
