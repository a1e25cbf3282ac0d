-- Clients that failed to authenticate. Why the table is as it is, is said beside its model in schema/token.prisma.
-- Partitions are made by the token service, a day each and ahead of need: a table without any takes no row.
create table token.client_authentication_failures (
  minute     timestamptz(6) not null,
  client_id  text           not null,
  reason     text           not null,
  endpoint   text           not null,
  ip_address text           not null,
  count      bigint         not null,
  constraint client_authentication_failures_pkey primary key (minute, client_id, reason, endpoint, ip_address)
) partition by range (minute);
create index client_authentication_failures_client_id_minute_idx
  on token.client_authentication_failures (client_id, minute);
create index client_authentication_failures_ip_address_minute_idx
  on token.client_authentication_failures (ip_address, minute);
