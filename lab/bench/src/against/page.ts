import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../measuring/statistics.ts'
import { rootDirectory } from '../repository.ts'
import type { ComparedResult, Comparison } from './comparison.ts'
import type { RoundFigures, StepFigures } from './measure.ts'
import { plotBars, thousands } from './plot.ts'
import { type Step, steps } from './server.ts'

const titles: Record<Step, string> = {
  issue: 'Tokens by client_credentials',
  introspect: 'Introspections',
  authorize: 'Codes for people who are logged in and agreed before',
  redeem: 'Codes redeemed',
  refresh: 'Refreshes',
  login: 'Whole logins with a password',
}

/** The medians of a server's rounds, each figure by itself. */
export function medianFigures({ rounds }: Pick<ComparedResult, 'rounds'>): RoundFigures {
  const figures: RoundFigures = {}
  for (const step of steps) {
    const found = rounds.flatMap((round) => round[step] ?? [])
    const [first] = found
    if (first === undefined) continue
    const names = Object.keys(first) as (keyof StepFigures)[]
    const medians = names.map((name) => [name, median(found.map((one) => one[name]))])
    figures[step] = Object.fromEntries(medians) as StepFigures
  }
  return figures
}

/** Writes docs/evidence/benchmark.md and its plots. */
export function writePage(comparison: Comparison): void {
  const docs = join(rootDirectory, 'docs/evidence')
  const pictures = join(docs, 'benchmark')
  rmSync(pictures, { recursive: true, force: true })
  mkdirSync(pictures, { recursive: true })
  for (const [name, picture] of Object.entries(plotsOf(comparison)))
    writeFileSync(join(pictures, name), picture)
  writeFileSync(join(docs, 'benchmark.md'), renderPage(comparison))
}

/** A plot for each step, by the name of its file. */
export function plotsOf({ servers }: Pick<Comparison, 'servers'>): Record<string, string> {
  const plots = steps.flatMap((step) => {
    const bars = servers.flatMap((server) => {
      const value = medianFigures(server)[step]?.perSecond
      return value === undefined ? [] : [{ label: server.title, value, ours: server.title === 'Gatehouse' }]
    })
    return bars.length === 0 ? [] : [[`${step}.svg`, plotBars(`${titles[step]}, a second`, bars)] as const]
  })
  return Object.fromEntries(plots)
}

/** The page as Markdown. */
export function renderPage(comparison: Comparison): string {
  const { date, minutes, machine, wrk, settings, servers } = comparison
  const { rounds, seconds, warmUpSeconds, connections } = settings
  const measured = servers.filter((server) => server.rounds.length > 0)
  const names = measured.filter(({ title }) => title !== 'Gatehouse').map(({ title }) => title)
  return `# Measured against other servers

Gatehouse, ${names.join(', ')}: one after the other on one machine, with the same PostgreSQL and the same load. Repeat it:

    npm run bench -- --against hydra,keycloak,oidc-provider

The command builds or downloads the others once, and writes this page. It needs Linux, wrk, Go, Java 17, Maven, unzip and a quiet machine.

| | |
|---|---|
| Date | ${date.slice(0, 16).replace('T', ' ')} UTC, ${Math.round(minutes)} minutes |
| Revision | ${machine.revision}${machine.changed ? ', with changes' : ''} |
| Machine | ${machine.cores} cores of ${machine.cpu}, ${machine.memoryGiB} GiB, Linux ${machine.kernel} |
| Load | wrk ${wrk}, ${connections} connections; people's steps by ${connections} callers in the benchmark's process, logins by 16 |
| Measured | ${rounds} rounds in another order each, ${seconds} s for each figure after ${warmUpSeconds} s or more of the same work; medians |
| Versions | ${measured.map(({ title, version }) => `${title} ${version}`).join(', ')}, Node.js ${machine.node} |

Load and servers share the machine's cores, so a rate is what both reach together. CPU is that of the server's processes and of PostgreSQL
alone; it says how many requests a core of a larger machine answers.

${steps.flatMap((step) => renderStep(step, servers)).join('\n')}
## How each of them runs

PostgreSQL is the same for all, with \`fsync\` and \`synchronous_commit\`: an answered commit survives a power cut. Rate limits are off.

${measured.map(({ title, setup }) => `- **${title}**: ${setup.replaceAll('\n', ' ')}`).join('\n')}
${renderMissing(servers)}
## What they do better

- **oidc-provider** in memory introspects a token by looking into a map. For one process whose tokens may be lost when it restarts nothing is
  simpler.
- **Ory Hydra** needs the least memory of those that keep everything in PostgreSQL, and is one file to install. What its people log in with is not its
  business, so it fits beside any login that exists already.
- **Keycloak** does much more: SAML, LDAP, organizations, an administration of roles and permissions. Its tokens by client_credentials are
  signed with a key pair, which costs more than HS256, and verified by anybody with its public key.
- All three run in production in many places, and Ory Hydra, Keycloak and oidc-provider are certified by the OpenID Foundation. [Gatehouse is not](../start/comparison.md).
`
}

function renderStep(step: Step, servers: readonly ComparedResult[]): string[] {
  const rows = servers.flatMap((server) => {
    const found = medianFigures(server)[step]
    if (found === undefined) return []
    const { perSecond, p50, p99, cpuMicroseconds, memory, idle } = found
    const cells = [
      server.title,
      thousands(perSecond),
      p50.toFixed(1),
      p99.toFixed(1),
      thousands(cpuMicroseconds),
      thousands(memory / 2 ** 20),
      `${Math.round(idle * 100)} %`,
    ]
    return [`| ${cells.join(' | ')} |`]
  })
  if (rows.length === 0) return []
  const without = servers.flatMap(({ title, without, rounds }) =>
    without[step] && rounds.length > 0 ? [`${title}: not measured. ${without[step]}`] : [],
  )
  return [
    `## ${titles[step]}`,
    '',
    `![${titles[step]}, a second](benchmark/${step}.svg)`,
    '',
    '| | a second | p50 ms | p99 ms | CPU µs each | memory MiB | machine idle |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    ...(without.length > 0 ? ['', ...without.map((line) => `${line}  `)] : []),
    '',
  ]
}

function renderMissing(servers: readonly ComparedResult[]): string {
  const lines = servers.flatMap(({ title, missing }) =>
    missing ? [`- **${title}** is missing here: ${missing}`] : [],
  )
  return lines.length > 0 ? `${lines.join('\n')}\n` : ''
}
