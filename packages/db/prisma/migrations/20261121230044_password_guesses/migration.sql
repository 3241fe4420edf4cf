-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "known_guesses" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "unknown_guesses" INTEGER NOT NULL DEFAULT 0;
