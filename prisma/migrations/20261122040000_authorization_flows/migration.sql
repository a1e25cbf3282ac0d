-- Authorization requests that wait for their users. Why the table is as it is, is said beside its model in schema/token.prisma.
create table token.authorization_flows (
  id             uuid           not null,
  client_id      text           not null,
  redirect_uri   text           not null,
  scope          text           not null,
  state          text,
  code_challenge text           not null,
  expires_at     timestamptz(6) not null,
  constraint authorization_flows_pkey primary key (id)
);
create index authorization_flows_expires_at_idx on token.authorization_flows (expires_at);
