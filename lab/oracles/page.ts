import { readFileSync } from 'node:fs'
import { type OracleName, type OracleRun, oracles } from './table.ts'

/** docs/evidence/oracles.md: the judges outside of CI, with the property that each proves and its last run. */
export function oraclesPage(): string {
  const file = new URL('results.json', import.meta.url)
  const results = JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<OracleName, OracleRun>>
  const rows = (Object.keys(oracles) as OracleName[]).map((name) => {
    const { title, proves } = oracles[name]
    return `| ${title} (\`${name}\`) | ${proves} | ${lastRun(results[name])} |`
  })
  return `${[
    '<!-- Written by npm run generate. Change lab/oracles/table.ts or lab/oracles/page.ts. -->',
    '',
    '# Oracles',
    '',
    'Some judges take too long for every change, or need a Java machine, a cluster or another server. They are not in CI.',
    '`npm run test:oracles` runs those of this table before a release; names after `--` choose some. It needs Debian and root, or the',
    'programs that it names.',
    '',
    '| Oracle | It proves that | Last run |',
    '|---|---|---|',
    ...rows,
    '',
    'Others have a command and a page of their own: the OpenID Foundation’s suite ([conformance](conformance.md)), two hours of history under',
    'faults ([proof](proof.md)), a Kubernetes node ([cluster](cluster.md)), and the servers that we compare with ([benchmark](benchmark.md)).',
  ].join('\n')}\n`
}

/** A sentence about the last run of an oracle. */
function lastRun(run: OracleRun | undefined): string {
  if (run === undefined) return 'not yet'
  const { day, revision, passed, failed, seconds } = run
  return `${day}, ${revision}: ${passed} passed, ${failed} failed, in ${seconds} s`
}
