-- The code checks languages, so that a new one needs no migration.
ALTER TABLE "users" ALTER COLUMN "locale" DROP DEFAULT;
ALTER TABLE "users" ALTER COLUMN "locale" TYPE TEXT USING "locale"::TEXT;
ALTER TABLE "users" ALTER COLUMN "locale" SET DEFAULT 'en';
DROP TYPE "locale";

-- The previous version casts to this type while a roll-out lasts. A later release drops it.
CREATE DOMAIN "locale" AS TEXT;
