-- Of a large table, build it beforehand and without a lock: docs/operations.md, Upgrade.
CREATE INDEX IF NOT EXISTS "audit_events_user_id_action_id_idx" ON "audit_events"("user_id", "action", "id");
