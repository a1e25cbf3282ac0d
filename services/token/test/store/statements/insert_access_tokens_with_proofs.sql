with sent as materialized (select *
from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[], $9::float8[], $10::uuid[])
with ordinality as s (expires_at, jti, grant_id, client_id, scope, resources, organization_id, proof_digest, proof_ends_at, proof_attempt, position)), newly_spent as ( insert into token.spent_proofs (digest, expires_at, attempt)
select distinct on (proof_digest) proof_digest, to_timestamp(proof_ends_at), proof_attempt
from sent
where proof_digest is not null order by proof_digest, position on conflict do nothing
returning attempt ), spent as materialized ( select array(select attempt
from newly_spent) || array( select sent.proof_attempt
from sent
cross join lateral ( select
from token.spent_proofs p
where p.digest = sent.proof_digest
and p.attempt = sent.proof_attempt offset 0 ) p ) as attempts ), proven as materialized ( select sent.*
from spent, sent
where sent.proof_digest is null or sent.proof_attempt = any(spent.attempts) )
insert into token.access_tokens (expires_at, jti, grant_id, client_id, scope, resources, organization_id)
select to_timestamp(t.expires_at), t.jti, t.grant_id, t.client_id, t.scope, t.resources, t.organization_id
from proven t
where t.client_id <> all (array( select c.client_id
from token.client_changes c
join unnest($11::text[], $12::bigint[]) as known (client_id, revision) using (client_id)
where c.client_id = any($11::text[])
and (c.revision <> known.revision or c.disabled) ))
