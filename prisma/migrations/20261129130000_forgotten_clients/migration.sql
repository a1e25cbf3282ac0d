-- The clients that were forgotten a short while ago, so that what was counted of them before is not stored after that.
create table token.forgotten_clients (
  client_id    text           not null,
  forgotten_at timestamptz(6) not null default now(),
  constraint forgotten_clients_pkey primary key (client_id)
);
create index forgotten_clients_forgotten_at_idx on token.forgotten_clients (forgotten_at);
