-- Whatever changes what a session opens is told on a channel when it is committed, whoever did it: a process that keeps sessions in
-- memory drops what is named. `session:<id>`, `user:<id>`, or `all`. A new session is in nobody's memory, and is not told.

-- CreateFunction
CREATE FUNCTION "tell_session_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('floorpass_sessions', CASE TG_LEVEL WHEN 'STATEMENT' THEN 'all' ELSE TG_ARGV[0] || ':' || OLD.id END);
  RETURN NULL;
END
$$;

-- CreateTrigger: "last seen" moves without changing anything. All other columns count, also those that are still to come.
CREATE TRIGGER "sessions_tell_update" AFTER UPDATE ON "sessions" FOR EACH ROW
  WHEN ((to_jsonb(OLD) - 'last_seen_at') IS DISTINCT FROM (to_jsonb(NEW) - 'last_seen_at'))
  EXECUTE FUNCTION "tell_session_change"('session');
CREATE TRIGGER "sessions_tell_delete" AFTER DELETE ON "sessions" FOR EACH ROW EXECUTE FUNCTION "tell_session_change"('session');
CREATE TRIGGER "sessions_tell_truncate" AFTER TRUNCATE ON "sessions" FOR EACH STATEMENT EXECUTE FUNCTION "tell_session_change"();

-- CreateTrigger
CREATE TRIGGER "users_tell_update" AFTER UPDATE ON "users" FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION "tell_session_change"('user');
CREATE TRIGGER "users_tell_delete" AFTER DELETE ON "users" FOR EACH ROW EXECUTE FUNCTION "tell_session_change"('user');
CREATE TRIGGER "users_tell_truncate" AFTER TRUNCATE ON "users" FOR EACH STATEMENT EXECUTE FUNCTION "tell_session_change"();
