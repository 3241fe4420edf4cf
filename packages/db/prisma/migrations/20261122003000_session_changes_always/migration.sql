-- Also what is loaded as a replica (`session_replication_role`) is told. Users before sessions, as every other transaction locks them.
LOCK TABLE "users", "sessions" IN SHARE ROW EXCLUSIVE MODE;

-- AlterTable
ALTER TABLE "users"
  ENABLE ALWAYS TRIGGER "users_tell_update",
  ENABLE ALWAYS TRIGGER "users_tell_delete",
  ENABLE ALWAYS TRIGGER "users_tell_truncate";

-- AlterTable
ALTER TABLE "sessions"
  ENABLE ALWAYS TRIGGER "sessions_tell_update",
  ENABLE ALWAYS TRIGGER "sessions_tell_delete",
  ENABLE ALWAYS TRIGGER "sessions_tell_truncate";
