-- CreateTable
CREATE TABLE "services" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "services_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "service_secrets" (
    "id" TEXT NOT NULL,
    "service_id" TEXT NOT NULL,
    "secret_hash" TEXT NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMP(3),
    "last_used_at" TIMESTAMP(3),
    "uses" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "service_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "services_name_key" ON "services"("name");

-- CreateIndex
CREATE UNIQUE INDEX "service_secrets_secret_hash_key" ON "service_secrets"("secret_hash");

-- CreateIndex
CREATE INDEX "service_secrets_service_id_idx" ON "service_secrets"("service_id");

-- AddForeignKey
ALTER TABLE "service_secrets" ADD CONSTRAINT "service_secrets_service_id_fkey" FOREIGN KEY ("service_id") REFERENCES "services"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddCheckConstraint
ALTER TABLE "services" ADD CONSTRAINT "services_name_check" CHECK ("name" ~ '^[a-z0-9-]{1,40}$');
