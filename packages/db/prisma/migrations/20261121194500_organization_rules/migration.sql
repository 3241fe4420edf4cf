-- DropConstraint
ALTER TABLE "members" DROP CONSTRAINT "members_role_check";
ALTER TABLE "invitations" DROP CONSTRAINT "invitations_role_check";
ALTER TABLE "invitations" DROP CONSTRAINT "invitations_status_check";

-- AddCheck
ALTER TABLE "members" ADD CONSTRAINT "members_role_check" CHECK ("role" IN ('owner', 'admin', 'member'));

-- AddCheck
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_role_check" CHECK ("role" IN ('owner', 'admin', 'member'));

-- AddCheck
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_status_check" CHECK ("status" IN ('pending', 'accepted', 'rejected', 'canceled'));

-- AddCheck
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_email_check" CHECK ("email" = lower("email") AND length("email") BETWEEN 1 AND 254);

-- AddCheck
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_slug_check" CHECK ("slug" ~ '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$');

-- AddCheck
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_name_check" CHECK (length("name") BETWEEN 1 AND 100);

-- CreateIndex: one open invitation for an address and an organization. Prisma's schema language has no partial index.
CREATE UNIQUE INDEX "invitations_pending_key" ON "invitations"("organization_id", "email") WHERE "status" = 'pending';
