-- Read by nobody, or by whoever can read (user_id, id). A migration of its own: it waits for readers, and must not wait with an index that was just built.
DROP INDEX IF EXISTS "audit_events_user_id_created_at_idx";
DROP INDEX IF EXISTS "audit_events_organization_id_created_at_idx";
