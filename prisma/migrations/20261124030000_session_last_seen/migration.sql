-- AlterTable
ALTER TABLE "identity"."sessions" ADD COLUMN "last_seen_at" TIMESTAMPTZ(6);
