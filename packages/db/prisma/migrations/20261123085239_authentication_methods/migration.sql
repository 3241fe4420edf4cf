-- AlterTable: sessions that began before have no methods, and count as one factor.
ALTER TABLE "sessions"
  ADD COLUMN "authentication_methods" TEXT[] DEFAULT ARRAY[]::TEXT[],
  ADD COLUMN "second_factor_at" TIMESTAMP(3);

-- CreateFunction: cached sessions hold the roles of their user.
CREATE FUNCTION "notify_membership_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('floorpass_sessions', CASE TG_OP WHEN 'TRUNCATE' THEN 'all' ELSE 'user:' || coalesce(NEW.user_id, OLD.user_id) END);
  RETURN NULL;
END
$$;

-- CreateTrigger
CREATE TRIGGER "members_notify_change" AFTER INSERT OR UPDATE OR DELETE ON "members" FOR EACH ROW
  EXECUTE FUNCTION "notify_membership_change"();
CREATE TRIGGER "members_notify_truncate" AFTER TRUNCATE ON "members" FOR EACH STATEMENT EXECUTE FUNCTION "notify_membership_change"();

-- AlterTable: rows that are loaded as a replica (`session_replication_role`) notify too.
ALTER TABLE "members" ENABLE ALWAYS TRIGGER "members_notify_change", ENABLE ALWAYS TRIGGER "members_notify_truncate";
