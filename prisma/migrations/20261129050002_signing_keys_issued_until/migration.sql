-- When a derived key stopped signing: it verifies no token that is newer, although it still verifies those from before.
alter table token.signing_keys add column issued_until timestamptz(6);
