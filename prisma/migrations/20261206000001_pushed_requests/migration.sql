-- Authorization requests that a client pushed (RFC 9126) are flows that begin at the first visit.
alter table token.authorization_flows add column pushed_at timestamptz(6), add column visited_at timestamptz(6);
