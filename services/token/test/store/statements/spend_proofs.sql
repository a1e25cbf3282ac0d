with sent as materialized (select *
from unnest($1::bytea[], $2::float8[], $3::uuid[])
with ordinality as s (proof_digest, proof_ends_at, proof_attempt, position)), newly_spent as ( insert into token.spent_proofs (digest, expires_at, attempt)
select distinct on (proof_digest) proof_digest, to_timestamp(proof_ends_at), proof_attempt
from sent
where proof_digest is not null order by proof_digest, position on conflict do nothing
returning attempt ), spent as materialized ( select array(select attempt
from newly_spent) || array( select sent.proof_attempt
from sent
cross join lateral ( select
from token.spent_proofs p
where p.digest = sent.proof_digest
and p.attempt = sent.proof_attempt offset 0 ) p ) as attempts )
select sent.position::int - 1 as position
from spent, sent
where sent.proof_attempt = any(spent.attempts)
