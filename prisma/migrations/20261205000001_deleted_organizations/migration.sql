-- Organizations that are deleted and not yet empty. No table is rewritten: a null. Why, is said in schema/identity.prisma.
alter table identity.organizations add column deleted_at timestamptz(6);
