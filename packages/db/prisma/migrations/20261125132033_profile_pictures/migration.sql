-- CreateTable
CREATE TABLE "profile_pictures" (
    "user_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "content" BYTEA NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "profile_pictures_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "profile_pictures_name_key" ON "profile_pictures"("name");

-- AddForeignKey
ALTER TABLE "profile_pictures" ADD CONSTRAINT "profile_pictures_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateFunction: many statements change the column, also those of an older version of the service.
CREATE FUNCTION "delete_unnamed_picture"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM profile_pictures WHERE user_id = NEW.id AND strpos(coalesce(NEW.image, ''), name) = 0;
  RETURN NULL;
END
$$;

-- CreateTrigger
CREATE TRIGGER "users_delete_unnamed_picture" AFTER UPDATE OF "image" ON "users" FOR EACH ROW
  WHEN (OLD.image IS DISTINCT FROM NEW.image) EXECUTE FUNCTION "delete_unnamed_picture"();
