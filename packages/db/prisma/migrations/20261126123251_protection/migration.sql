-- AlterTable
ALTER TABLE "users" ADD COLUMN     "held_until" TIMESTAMP(3),
ADD COLUMN     "lock_key_hash" TEXT,
ADD COLUMN     "lock_kind" TEXT,
ADD COLUMN     "locked_at" TIMESTAMP(3),
ADD COLUMN     "phrase_sealed" TEXT,
ADD COLUMN     "unlock_at" TIMESTAMP(3),
ADD COLUMN     "unlock_days" SMALLINT;

-- CreateTable
CREATE TABLE "holds" (
    "user_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "started_at" TIMESTAMP(3) NOT NULL,
    "ends_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "holds_pkey" PRIMARY KEY ("user_id","reason")
);

-- CreateTable
CREATE TABLE "allow_lists" (
    "user_id" TEXT NOT NULL,
    "enabled_at" TIMESTAMP(3) NOT NULL,
    "ends_at" TIMESTAMP(3),

    CONSTRAINT "allow_lists_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "allow_list_entries" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "label" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMP(3) NOT NULL,
    "usable_from" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "allow_list_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "confirmations" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "session_handle" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "canonical" TEXT NOT NULL,
    "audience" TEXT NOT NULL,
    "created_by" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL,
    "expires_at" TIMESTAMP(3) NOT NULL,
    "approved_at" TIMESTAMP(3),
    "approved_by" TEXT,
    "assertion" JSONB,
    "rejected_at" TIMESTAMP(3),
    "consumed_at" TIMESTAMP(3),
    "consumed_by" TEXT,

    CONSTRAINT "confirmations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "allow_list_entries_user_id_kind_value_key" ON "allow_list_entries"("user_id", "kind", "value");

-- CreateIndex
CREATE INDEX "confirmations_user_id_idx" ON "confirmations"("user_id");

-- CreateIndex
CREATE INDEX "confirmations_expires_at_idx" ON "confirmations"("expires_at");

-- AddForeignKey
ALTER TABLE "holds" ADD CONSTRAINT "holds_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "allow_lists" ADD CONSTRAINT "allow_lists_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "allow_list_entries" ADD CONSTRAINT "allow_list_entries_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "confirmations" ADD CONSTRAINT "confirmations_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddCheckConstraint
ALTER TABLE "users" ADD CONSTRAINT "users_lock_check" CHECK (
  ("lock_kind" IS NULL AND "locked_at" IS NULL AND "unlock_days" IS NULL AND "unlock_at" IS NULL AND "lock_key_hash" IS NULL)
  OR ("lock_kind" IN ('owner', 'panic') AND "locked_at" IS NOT NULL AND "unlock_days" IS NOT NULL)
) NOT VALID;
ALTER TABLE "users" VALIDATE CONSTRAINT "users_lock_check";
