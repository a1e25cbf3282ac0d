-- What the token endpoint gives and refuses, for plots and for each client's page.
create table token.usage_minutes (
  minute     timestamptz(6) not null,
  grant_type text           not null,
  outcome    text           not null,
  count      bigint         not null,
  constraint usage_minutes_pkey primary key (minute, grant_type, outcome)
);

create table token.active_token_counts (
  minute timestamptz(6) not null,
  count  bigint         not null,
  constraint active_token_counts_pkey primary key (minute)
);

create table token.client_usage (
  client_id    text           not null,
  day          date           not null,
  issued       bigint         not null,
  refused      bigint         not null,
  last_used_at timestamptz(6),
  constraint client_usage_pkey primary key (client_id, day)
);
create index client_usage_day_idx on token.client_usage (day);
