import type { VariableOptions } from '@gatehouse/kit/config'
import { launcherConfig } from '@gatehouse/local/config'
import { serviceSchemas } from '@gatehouse/local/service-schemas'
import type { TObject, TSchema } from 'typebox'

/** The variables of each process. */
const processes: Record<string, TObject> = { ...serviceSchemas, launcher: launcherConfig }

const head = `<!-- Written by \`npm run generate\` from the schemas in services/*/src/config.ts. Do not edit. -->

# Configuration

Every process reads its variables once, when it starts. If some are invalid, it does not start and names all of them. An empty
variable counts as not set. For an unknown variable that begins with OAUTH2_, a warning names the most similar known one.
"launcher" is what \`npm start\` runs: it passes each service the variables that the service needs, and shows the services' warnings.

| Variable | Default | Must be | What it does | Read by |
|---|---|---|---|---|
`

/**
 * proto/variable-names.ts: the names of all processes' variables that begin with OAUTH2_. With it a process distinguishes a variable of
 * another process from an unknown one.
 */
export function variableNamesFile(): string {
  const all = Object.values(processes).flatMap(({ properties }) => Object.keys(properties))
  const names = new Set(all.filter((name) => name.startsWith('OAUTH2_')))
  const lines = [...names].sort().map((name) => `  '${name}',\n`)
  return `// Written by \`npm run generate\` from the schemas in services/*/src/config.ts. Do not edit.

/** The names of all processes' variables that begin with OAUTH2_. */
export const variableNames: readonly string[] = [
${lines.join('')}]
`
}

/** docs/configuration.md, from the schemas of all processes. */
export function configurationPage(): string {
  const variables = new Map<string, { schema: TSchema & Partial<VariableOptions>; readBy: string[] }>()
  for (const [name, config] of Object.entries(processes)) {
    for (const [variable, schema] of Object.entries(config.properties)) {
      const known = variables.get(variable)
      if (known) known.readBy.push(name)
      else variables.set(variable, { schema, readBy: [name] })
    }
  }
  const rows = [...variables]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([variable, { schema, readBy }]) => {
      const standard = defaultOf(schema)
      const by = readBy.length === Object.keys(processes).length - 1 ? 'every service' : readBy.join(', ')
      return `| ${variable} | ${standard} | ${schema.rule ?? ''} | ${schema.description ?? ''} | ${by} |\n`
    })
  return head + rows.join('')
}

function defaultOf(schema: TSchema & Partial<VariableOptions>): string {
  const { default: fixed, defaultText, defaultsBy } = schema as { default?: unknown } & VariableOptions
  const standard = defaultText ?? (fixed === undefined ? 'none' : `\`${fixed}\``)
  const others = Object.entries(defaultsBy?.values ?? {}).filter(([, value]) => value !== (fixed ?? ''))
  const values = new Set(others.map(([, value]) => value))
  const byOther = [...values].map((value) => {
    const names = others.filter((other) => other[1] === value).map(([name]) => `\`${name}\``)
    return `; with ${defaultsBy?.variable} ${names.join(' or ')} \`${value}\``
  })
  return standard + byOther.join('')
}
