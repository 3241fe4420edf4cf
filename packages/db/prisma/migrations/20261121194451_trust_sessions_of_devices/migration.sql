-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "trusted_device_id" TEXT;

-- CreateIndex
CREATE INDEX "sessions_trusted_device_id_idx" ON "sessions"("trusted_device_id");

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_trusted_device_id_fkey" FOREIGN KEY ("trusted_device_id") REFERENCES "trusted_devices"("id") ON DELETE SET NULL ON UPDATE CASCADE;
