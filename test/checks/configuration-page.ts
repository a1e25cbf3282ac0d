import type { VariableOptions } from '@gatehouse/kit/config'
import type { TObject, TSchema } from 'typebox'
import { launcherConfig } from '../../deploy/local/src/config.ts'
import { clientRegistryConfig } from '../../services/client-registry/src/config.ts'
import { eventsConfig } from '../../services/events/src/config.ts'
import { gatewayConfig } from '../../services/gateway/src/config.ts'
import { identityConfig } from '../../services/identity/src/config.ts'
import { tokenConfig } from '../../services/token/src/config.ts'

const processes: Record<string, TObject> = {
  gateway: gatewayConfig,
  token: tokenConfig,
  'client-registry': clientRegistryConfig,
  identity: identityConfig,
  events: eventsConfig,
  launcher: launcherConfig,
}

const head = `<!-- Written by \`npm run generate\` from the schemas in services/*/src/config.ts. Do not edit. -->

# Configuration

Every process reads its variables once, when it starts, and refuses to start with one that is wrong. An empty variable
counts as not set. "launcher" is what \`npm start\` runs; it passes each service what that service needs.

| Variable | Default | Must be | What it does | Read by |
|---|---|---|---|---|
`

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
      const { default: fixed, defaultText } = schema as { default?: unknown; defaultText?: string }
      const standard = defaultText ?? (fixed === undefined ? 'none' : `\`${fixed}\``)
      const by = readBy.length === Object.keys(processes).length - 1 ? 'every service' : readBy.join(', ')
      return `| ${variable} | ${standard} | ${schema.rule ?? ''} | ${schema.description ?? ''} | ${by} |\n`
    })
  return head + rows.join('')
}
