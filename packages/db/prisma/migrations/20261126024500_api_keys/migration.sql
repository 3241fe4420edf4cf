-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "organization_id" TEXT,
    "name" TEXT,
    "prefix" TEXT,
    "start" TEXT,
    "secret_hash" TEXT,
    "public_key" JSONB,
    "scopes" TEXT[],
    "ip_allowlist" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "metadata" JSONB,
    "expires_at" TIMESTAMP(3),
    "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMP(3) NOT NULL,
    "last_used_at" TIMESTAMP(3),
    "last_used_ip" TEXT,
    "uses" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signature_nonces" (
    "key_id" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "expires_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "signature_nonces_pkey" PRIMARY KEY ("key_id","nonce")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_secret_hash_key" ON "api_keys"("secret_hash");

-- CreateIndex
CREATE INDEX "api_keys_user_id_idx" ON "api_keys"("user_id");

-- CreateIndex
CREATE INDEX "api_keys_organization_id_user_id_idx" ON "api_keys"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "signature_nonces_expires_at_idx" ON "signature_nonces"("expires_at");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "members"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddCheckConstraint: a key with a public key has no secret that could be taken as a bearer.
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_kind_check" CHECK (("secret_hash" IS NULL) <> ("public_key" IS NULL));

-- CreateFunction: a separate one, since the previous release counts the triggers of the other one.
CREATE FUNCTION "notify_key_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('floorpass_sessions', CASE TG_OP WHEN 'TRUNCATE' THEN 'all' ELSE 'key:' || OLD.id END);
  RETURN NULL;
END
$$;

-- CreateTrigger: `last used` moves without changing anything. All other columns count, also those that are still to come.
CREATE TRIGGER "api_keys_notify_update" AFTER UPDATE ON "api_keys" FOR EACH ROW
  WHEN ((to_jsonb(OLD) - ARRAY['last_used_at', 'last_used_ip', 'uses']) IS DISTINCT FROM (to_jsonb(NEW) - ARRAY['last_used_at', 'last_used_ip', 'uses']))
  EXECUTE FUNCTION "notify_key_change"();
CREATE TRIGGER "api_keys_notify_delete" AFTER DELETE ON "api_keys" FOR EACH ROW EXECUTE FUNCTION "notify_key_change"();
CREATE TRIGGER "api_keys_notify_truncate" AFTER TRUNCATE ON "api_keys" FOR EACH STATEMENT EXECUTE FUNCTION "notify_key_change"();

-- AlterTable: rows that are loaded as a replica (`session_replication_role`) notify too.
ALTER TABLE "api_keys"
  ENABLE ALWAYS TRIGGER "api_keys_notify_update",
  ENABLE ALWAYS TRIGGER "api_keys_notify_delete",
  ENABLE ALWAYS TRIGGER "api_keys_notify_truncate";
