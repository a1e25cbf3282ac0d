import { readdirSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { oraclesPage } from '../lab/oracles/page.ts'
import { chartReadme } from './chart-readme.ts'
import { chartSchema } from './chart-schema.ts'
import { chartVariablesFile } from './chart-variables.ts'
import { clientMetadataPage } from './client-metadata-page.ts'
import { composeVariables } from './compose-variables.ts'
import { configurationPage, variableNamesFile } from './configuration-page.ts'
import { eventsPage } from './events-page.ts'
import { pageTextsFile } from './page-texts.ts'
import { profilesPage } from './profiles-page.ts'
import { quotingPages } from './quoting-pages.ts'
import { upstreamProvidersFile } from './upstream-providers.ts'
import { userAttributesPage } from './user-attributes-page.ts'

// The files that are generated from the code or from other files. With --write they are written; without it, a file that differs is
// an error.

const root = new URL('../', import.meta.url)
const chart = 'deploy/helm/gatehouse'

const files: Record<string, () => string | Promise<string>> = {
  // First, because the gateway, which describes itself below, imports them.
  'proto/upstream-providers.ts': upstreamProvidersFile,
  'services/gateway/src/people/texts/table.ts': pageTextsFile,
  'deploy/compose/variables.yaml': composeVariables,
  'docs/reference/client-metadata.md': clientMetadataPage,
  'docs/reference/configuration.md': configurationPage,
  'docs/evidence/oracles.md': oraclesPage,
  'docs/events/events.md': eventsPage,
  'docs/reference/openapi.json': async () => (await import('./openapi-document.ts')).openapiDocument(),
  'docs/reference/profiles.md': profilesPage,
  'docs/reference/user-attributes.md': userAttributesPage,
  ...quotingPages,
  'proto/variable-names.ts': variableNamesFile,
  [`${chart}/files/variables.json`]: chartVariablesFile,
  [`${chart}/files/paths.json`]: async () => (await import('./gateway-paths.ts')).gatewayPaths(),
  [`${chart}/values.schema.json`]: chartSchema,
  [`${chart}/README.md`]: chartReadme,
  ...copies('deploy/prometheus/rules', `${chart}/files/rules`),
  ...copies('deploy/grafana/dashboards', `${chart}/files/dashboards`),
}

/** A chart is packed alone, so files from elsewhere must be copied into it. */
function copies(from: string, to: string): Record<string, () => string> {
  const names = readdirSync(new URL(from, root))
  return Object.fromEntries(
    names.map((name) => [`${to}/${name}`, () => readFileSync(new URL(`${from}/${name}`, root), 'utf8')]),
  )
}

const write = process.argv.includes('--write')
for (const [path, generate] of Object.entries(files)) {
  const file = new URL(path, root)
  const text = await generate()
  if (write) await writeFile(file, text)
  else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error(`${path} is not what the code says: run npm run generate`)
    process.exitCode = 1
  }
}
