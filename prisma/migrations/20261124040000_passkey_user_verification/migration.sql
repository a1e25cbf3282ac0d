-- AlterTable
ALTER TABLE "identity"."passkeys" ADD COLUMN "user_verified" BOOLEAN NOT NULL DEFAULT false;
