-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "suspended_at" TIMESTAMP(3);

-- The search of administrators. Of large tables, build these beforehand and without a lock: docs/operations.md, Upgrade.
CREATE INDEX IF NOT EXISTS "organizations_slug_idx" ON "organizations"("slug" COLLATE "C");
CREATE INDEX IF NOT EXISTS "organizations_name_idx" ON "organizations"((lower("name") COLLATE "C"));

-- CreateFunction: the roles in a suspended organization do not count, so caches and followers read its members again.
CREATE FUNCTION "notify_organization_suspension"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('floorpass_sessions', 'user:' || user_id) FROM members WHERE organization_id = NEW.id;
  INSERT INTO outbox_events (type, user_id, organization_id, created_at, data)
  SELECT
    CASE WHEN NEW.suspended_at IS NULL THEN 'membership.changed' ELSE 'membership.ended' END,
    user_id, organization_id, timezone('UTC', clock_timestamp()),
    CASE WHEN NEW.suspended_at IS NULL
      THEN jsonb_build_object('role', role, 'accepted', accepted_at IS NOT NULL, 'heldUntil', event_time(held_until))
      ELSE '{}'::jsonb END
  FROM members WHERE organization_id = NEW.id ORDER BY user_id;
  RETURN NULL;
END
$$;

-- CreateTrigger
CREATE TRIGGER "organizations_notify_suspension" AFTER UPDATE ON "organizations" FOR EACH ROW
  WHEN ((OLD.suspended_at IS NULL) IS DISTINCT FROM (NEW.suspended_at IS NULL))
  EXECUTE FUNCTION "notify_organization_suspension"();

-- AlterTable: rows that are loaded as a replica (`session_replication_role`) notify too.
ALTER TABLE "organizations" ENABLE ALWAYS TRIGGER "organizations_notify_suspension";
