-- Memberships of today count as accepted. So do those that a process of the version before writes beside the new one: hence the default.
ALTER TABLE "members" ADD COLUMN     "accepted_at" TIMESTAMP(3);
UPDATE "members" SET "accepted_at" = "created_at";
ALTER TABLE "members" ALTER COLUMN "accepted_at" SET DEFAULT CURRENT_TIMESTAMP;
