import type { Client } from 'pg'
import { tokenWith } from '../answers.ts'
import type { Gatehouse } from '../gatehouse.ts'

/** How many rows one statement stores. */
const chunk = 500_000

/**
 * Stores tokens as if they had been issued: half expire within an hour, half within a week, the longest lifetime.
 * @param upTo how many tokens the table has afterwards
 */
export async function fillTable(
  client: Client,
  upTo: number,
  { credentials }: Pick<Gatehouse, 'credentials'>,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<void> {
  const { rows } = await client.query('select count(*)::int as count from token.access_tokens')
  const missing = Math.max(0, upTo - rows[0].count)
  tell(`storing ${missing} tokens …`)
  // Only these rows need not be durable.
  await client.query("set synchronous_commit = off; set maintenance_work_mem = '1GB'")
  const { rows: indexes } = await client.query<{ drop: string; create: string }>(indexesSql)
  for (const { drop } of indexes) await client.query(drop)
  for (let done = 0; done < missing; done += chunk) {
    signal.throwIfAborted()
    const count = Math.min(chunk, missing - done)
    await client.query(fillSql, [done + 1, done + count, missing, credentials.clientId])
  }
  tell('building the indexes …')
  for (const { create } of indexes) await client.query(create)
  await client.query('reset synchronous_commit; reset maintenance_work_mem')
}

/** Does the work that earlier rows left to PostgreSQL now, and not during the measurement. */
export async function settleTable(client: Client, tell: (line: string) => void): Promise<void> {
  tell('vacuum, analyze, checkpoint …')
  await client.query('vacuum (analyze) token.access_tokens')
  await client.query('checkpoint')
}

// The indexes of the table, with what drops and what builds them: to keep them up to date for each row takes far longer.
const indexesSql = `
  select case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
      else format('alter table token.access_tokens drop constraint %I', c.conname) end as drop,
    case when c.oid is null then replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
      else format('alter table token.access_tokens add constraint %I %s', c.conname, pg_get_constraintdef(c.oid)) end as create
  from pg_index i left join pg_constraint c on c.conindid = i.indexrelid
  where i.indrelid = 'token.access_tokens'::regclass`

// Introspection accepts only UUIDs of version 7.
const fillSql = `
  insert into token.access_tokens (expires_at, jti, granted_at, grant_id, client_id, scope)
  select to_timestamp(expires_at), jti, to_timestamp(expires_at) - interval '7 days', jti, $4, 'read'
  from (
    select uuidv7() as jti, floor(extract(epoch from now()) + case g % 2
      when 0 then 3600 * (g::float8 / $3)
      else 3600 + 597600 * (g::float8 / $3)
    end) as expires_at
    from generate_series($1::int, $2::int) as g
  ) as made`

/** Tokens from all over the table, signed with Gatehouse's secret, which is known here. */
export async function someStoredTokens(
  client: Client,
  count: number,
  stored: number,
  gatehouse: Gatehouse,
): Promise<string[]> {
  const { clientId, jwtSecret } = gatehouse.credentials
  const iss = gatehouse.system.baseUrl
  const { rows } = await client.query<{ exp: number; iat: number; jti: string }>(
    `select extract(epoch from expires_at)::int as exp, floor(extract(epoch from granted_at))::int as iat, jti
     from token.access_tokens tablesample bernoulli ($1)
     where expires_at > now() + interval '20 minutes' order by random() limit $2`,
    [Math.min(100, (count / stored) * 200), count],
  )
  return rows.map(({ exp, iat, jti }) =>
    tokenWith({ iss, sub: clientId, aud: iss, exp, iat, jti, scope: 'read', client_id: clientId }, jwtSecret),
  )
}
