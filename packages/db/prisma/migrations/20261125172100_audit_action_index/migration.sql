-- Of a large table, build it beforehand and without a lock: docs/operations.md, Upgrade.
CREATE INDEX IF NOT EXISTS "audit_events_action_id_idx" ON "audit_events"("action", "id");
