import type { Client } from 'pg'
import { longestWait, measureAdminPages, type PageTimes } from './admin-pages.ts'
import { tokenWith } from './answers.ts'
import type { Gatehouse } from './gatehouse.ts'
import type { Options, Phase } from './options.ts'
import { describe } from './rounds.ts'
import { type Measurement, measure, type RunDeps } from './run.ts'
import { type Summary, summarize } from './statistics.ts'
import { fillPools, gatehouseSubject, writeForms } from './subjects.ts'

/** Gatehouse with so many tokens stored. */
export type SizeResult = {
  storedTokens: number
  phases: { phase: Phase; rounds: Measurement[] }[]
  /** The times of administrators' pages with so many tokens. */
  pages: PageTimes[]
}

/** The cost of a size, compared with an empty table. */
export type SizeLoss = {
  storedTokens: number
  phase: Phase
  /** The lost share of the throughput; negative if it rose. */
  loss: number
  allowed: boolean
  /** CPU per request, as a multiple; unlike throughput, other programs hardly affect it. */
  cpuPerRequest: number
}

/** How much throughput ten million tokens may cost. */
const allowedLoss = 0.2
/** The tokens that are introspected in turn: enough to be spread all over the table. */
const poolSize = 20_000
/** How many rows one statement stores. */
const chunk = 500_000

type Deps = RunDeps & {
  options: Pick<Options, 'rounds' | 'phases' | 'tableRows'>
  gatehouse: Gatehouse
  directory: string
  tell: (line: string) => void
}

/** Measures Gatehouse with rising numbers of stored tokens, and at the end with none again, because the machine's speed drifts. */
export async function runTableSizes(deps: Deps): Promise<SizeResult[]> {
  const { options, gatehouse, database, directory, tell, signal } = deps
  const { client } = database
  const subject = gatehouseSubject(gatehouse)
  const results: SizeResult[] = []
  for (const storedTokens of [0, ...options.tableRows, 0]) {
    if (storedTokens === 0) await client.query('truncate token.access_tokens')
    else await fill(client, storedTokens, gatehouse, signal, tell)
    await settle(client, tell)
    const tokens =
      storedTokens === 0
        ? ((await fillPools([subject], poolSize)).get(subject) ?? [])
        : await someStoredTokens(client, storedTokens, gatehouse)
    const phases = options.phases.map((phase) => ({ phase, rounds: [] as Measurement[] }))
    for (let round = 1; round <= options.rounds; round++) {
      for (const { phase, rounds } of phases) {
        const forms = await writeForms(directory, subject, phase, tokens)
        const measured = await measure(deps, subject, phase, forms, `${phase}-${storedTokens}-${round}`)
        rounds.push(measured)
        tell(`${storedTokens} stored, round ${round}: ${describe(measured, phase, subject)}`)
      }
    }
    tell(`${storedTokens} stored: an administrator looks …`)
    const pages = storedTokens === 0 ? [] : await measureAdminPages(gatehouse)
    results.push({ storedTokens, phases, pages })
  }
  return results
}

/** Whether all pages of administrators are quick enough. */
export function arePagesQuick(results: readonly SizeResult[]): boolean {
  return results.flatMap(({ pages }) => pages).every(({ p95 }) => p95 <= longestWait)
}

/** The cost of each size; the empty table is the mean of the first and the last measurement. */
export function sizeLosses(results: readonly SizeResult[]): SizeLoss[] {
  const empty = results.filter(({ storedTokens }) => storedTokens === 0)
  return results
    .filter(({ storedTokens }) => storedTokens > 0)
    .flatMap((result) =>
      result.phases.map(({ phase }) => {
        const of = (one: SizeResult) => summarize({ rounds: roundsOf(one, phase) })
        const bases = empty.map(of)
        const mean = (pick: (summary: Summary) => number) =>
          bases.reduce((sum, summary) => sum + pick(summary), 0) / bases.length
        const own = of(result)
        const loss = 1 - own.perSecond / mean(({ perSecond }) => perSecond)
        const cpuPerRequest = own.cpuMicroseconds / mean(({ cpuMicroseconds }) => cpuMicroseconds)
        return { storedTokens: result.storedTokens, phase, loss, allowed: loss <= allowedLoss, cpuPerRequest }
      }),
    )
}

function roundsOf({ phases }: SizeResult, phase: Phase): Measurement[] {
  return phases.find((one) => one.phase === phase)?.rounds ?? []
}

/** Stores tokens as if they had been issued: half expire within an hour, half within a week, the longest lifetime. */
async function fill(
  client: Client,
  upTo: number,
  { credentials }: Gatehouse,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<void> {
  const { rows } = await client.query('select count(*)::int as count from token.access_tokens')
  const missing = upTo - rows[0].count
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

/** Does the work that filling the table left to PostgreSQL now, and not during the measurement. */
async function settle(client: Client, tell: (line: string) => void): Promise<void> {
  tell('vacuum, analyze, checkpoint …')
  await client.query('vacuum (analyze) token.access_tokens')
  await client.query('checkpoint')
}

/** Tokens to introspect from all over the table, signed with Gatehouse's secret, which is known here. */
async function someStoredTokens(client: Client, stored: number, gatehouse: Gatehouse): Promise<string[]> {
  const { clientId, jwtSecret } = gatehouse.credentials
  const iss = gatehouse.system.baseUrl
  const { rows } = await client.query<{ exp: number; iat: number; jti: string }>(
    `select extract(epoch from expires_at)::int as exp, floor(extract(epoch from granted_at))::int as iat, jti
     from token.access_tokens tablesample bernoulli ($1)
     where expires_at > now() + interval '20 minutes' order by random() limit $2`,
    [Math.min(100, (poolSize / stored) * 200), poolSize],
  )
  return rows.map(({ exp, iat, jti }) =>
    tokenWith({ iss, sub: clientId, aud: iss, exp, iat, jti, scope: 'read', client_id: clientId }, jwtSecret),
  )
}
