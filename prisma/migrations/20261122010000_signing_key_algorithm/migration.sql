-- A signing key owns its algorithm. The release before this one adds keys without naming it.
alter table token.signing_keys add column algorithm text not null default 'HS256';
