import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { AlgorithmResult } from './algorithms.ts'
import { summarizeBeside } from './beside/beside.ts'
import type { CheckoutResult } from './beside/checkout.ts'
import { type OverloadRound, summarizeOverload } from './beside/overload.ts'
import type { EventsResult } from './events.ts'
import type { LimitsResult } from './limits/limits.ts'
import { type LoginRound, summarizeLogins } from './logins/login-rounds.ts'
import type { MachineFacts } from './measuring/machine.ts'
import { ratios, summarize } from './measuring/statistics.ts'
import type { Options } from './options.ts'
import type { OpenidRound } from './peers/openid.ts'
import { rootDirectory } from './repository.ts'
import type { Series } from './rounds.ts'
import { type SizeResult, sizeCosts } from './tables/table-size.ts'
import type { UserGrantsRound } from './tables/user-grants.ts'
import type { TracingResult } from './tracing.ts'

/** The figures of a benchmark; none or undefined for what was not measured. */
export type Found = {
  series: readonly Series[]
  sizes: readonly SizeResult[]
  logins: readonly LoginRound[] | undefined
  grants: readonly UserGrantsRound[] | undefined
  openid: readonly OpenidRound[] | undefined
  tracing: TracingResult | undefined
  events: EventsResult | undefined
  overload: readonly OverloadRound[] | undefined
  limits: LimitsResult | undefined
  algorithms: readonly AlgorithmResult[]
  checkout: readonly CheckoutResult[]
}

/** The results of a benchmark. */
export type Findings = {
  date: string
  machine: MachineFacts
  wrk: string
  postgresql: Record<string, string>
  options: Options
  found: Found
}

/** The notes that readers of the numbers must know, in addition to the README. */
const notes = {
  load: 'One wrk thread in a process of its own, on the same machine; the server and the load share its cores.',
  gatehouse:
    'Rate limits off. Every token is committed in PostgreSQL before it is answered. Introspection is asked without client credentials.',
  ceiling: 'One bare fastify route in one process that parses the form and answers JSON of the same size.',
  peer: 'oidc-provider in one process, in-memory adapter. JWTs signed with HS256 by client_credentials, of which it keeps no record. It refuses to introspect JWTs, so its introspection is of opaque tokens in memory; it demands client credentials, which the form carries.',
  logins:
    'A login is authorize, login page, login, authorize with a remembered consent, token. Its bound is argon2id alone in one process, at the same cost and as many at once as the identity service hashes. Beside: single requests at a steady pace, with nothing else and with logins running.',
  grants:
    'Codes for users who are logged in and agreed before, their redemption by an app with a secret, and one refresh of each token.',
  openid:
    'Codes for users who are logged in and agreed before, redeemed for an access token alone and for an ID token too.',
  tracing:
    'A second system, all else alike, records a tenth of its requests and sends the spans to a sink on the same machine; the two issue tokens in turn. The ratio is the median of the rounds’ own.',
  events:
    'A second system, all else alike, emits two events for each token, to the backend in memory; the two issue tokens in turn. Then it takes events from outside, each committed in PostgreSQL before it is answered and delivered from there.',
  overload:
    'A system with resilience switched on issues tokens, in turn to as many callers as keep it busy and to ten times as many; each asks again as soon as it is answered. The ratio is the median of the rounds’ own.',
  tableSize:
    'A second system, all else alike, has so many tokens stored; the two issue and introspect in turn. The ratio is the median of the rounds’ own.',
  limits:
    'The lists of a system with as many organizations, members, groups and connections as there may be, by turns with those of one with few; then whole logins in the full one, one at a time, without the time at the provider’s pages.',
  algorithms:
    'For each algorithm a second system, all else alike, signs access tokens with it; the two issue tokens in turn. The ratio is the median of the rounds’ own.',
  checkout:
    'Another checkout runs beside this one, on the tables of this one; the two are measured in turn. The ratio, of this one to the other, is the median of the rounds’ own.',
  units:
    'Latencies in ms, memory in bytes, cores as a share of one core, shares of the machine as a share of all its cores.',
}

/**
 * Writes all results to a file, with every round.
 * @returns the file, relative to the working directory
 */
export function writeResults({ options, found, ...facts }: Findings): string {
  const { series, sizes, logins, tracing, events, overload, algorithms, checkout } = found
  const { out, profile, profileSummary, ...settings } = options
  const name = `${facts.date.replaceAll(':', '')}.json`
  const file = resolve(out ?? join(rootDirectory, '.gatehouse', 'bench', name))
  mkdirSync(dirname(file), { recursive: true })
  const content = {
    ...facts,
    settings: { ...settings, profiled: profile },
    notes,
    results: series.map(({ phase, subject, rounds }) => ({
      phase,
      subject,
      median: summarize({ rounds }),
      rounds,
    })),
    ratios: ratios(series),
    ...(logins && { logins: { median: summarizeLogins(logins), rounds: logins } }),
    ...(found.grants && { grants: found.grants }),
    ...(found.openid && { openid: found.openid }),
    ...(tracing && { tracing: { median: summarizeBeside(tracing.rounds), ...tracing } }),
    ...(events && { events: { median: summarizeBeside(events.rounds), ...events } }),
    ...(overload && { overload: { median: summarizeOverload(overload), rounds: overload } }),
    ...(found.limits && { limits: found.limits }),
    ...(algorithms.length > 0 && {
      algorithms: algorithms.map((one) => ({ median: summarizeBeside(one.rounds), ...one })),
    }),
    ...(checkout.length > 0 && {
      checkout: checkout.map((one) => ({ median: summarizeBeside(one.rounds), ...one })),
    }),
    ...(sizes.length > 0 && { tableSize: { costs: sizeCosts(sizes), sizes } }),
  }
  writeFileSync(file, `${JSON.stringify(content, rounded, 2)}\n`)
  return relative('.', file)
}

/** Six digits are more than the measurement's precision. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value
}
