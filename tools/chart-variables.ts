import { databaseVariables, directVariables, migrationVariables } from '@gatehouse/data/database-variables'
import type { VariableOptions } from '@gatehouse/kit/config/config'
import { serviceSchemas } from '@gatehouse/local/service-schemas'
import { type TObject, type TSchema, Type } from '@gatehouse/proto/typebox'

/** The variables of the Job. */
export const migrateSchema = Type.Object({
  OAUTH2_DATABASE_URL: databaseVariables.OAUTH2_DATABASE_URL,
  ...directVariables,
  ...migrationVariables,
})

const waitSchema = Type.Pick(migrateSchema, ['OAUTH2_DATABASE_URL', 'OAUTH2_DATABASE_DIRECT_URL'])

/** The variables that the chart sets itself, and what a user does instead. */
const setBy: [name: RegExp, instead: string][] = [
  [/^OAUTH2_SERVER_PUBLIC_BASE_URL$/, 'use publicBaseUrl'],
  [/^OAUTH2_SERVER_TRUST_PROXY_HEADERS$/, 'use trustedProxies'],
  [/^OAUTH2_SERVER_TLS_(CERT|KEY)$/, 'use gateway.tls.secretName'],
  [/^OAUTH2_MTLS_(PORT|CERT|KEY)$/, 'use gateway.mutualTls'],
  [/^OAUTH2_CLIENT_CERTIFICATE_CA$/, 'use token.clientAuthorities.configMapName'],
  [/^OAUTH2_OTLP_ENDPOINT$/, 'use otel.endpoint'],
  [/^OAUTH2_GRPC_(TLS_\w+|PLAINTEXT)$/, 'use tls.mode'],
  [/^OAUTH2_(SERVER|GRPC|INTERNAL)_(HOST|PORT)$/, 'its templates count on it'],
  [/^OAUTH2_(TOKEN|CLIENT_REGISTRY|IDENTITY|EVENTS)_ADDR$/, 'it knows where the services are'],
  [/^NODE_ENV$/, 'it is production'],
]

/** A variable as the chart knows it. */
export type ChartVariable = {
  schema: TSchema & VariableOptions
  /** Whether it belongs into a Secret. */
  secret?: true
  /** Whether processes with this variable do not start without it. */
  required?: true
  /** The advice to a user, or the reason, if the chart sets it. */
  setBy?: string
}

/**
 * The variables that a service knows, sorted.
 * @param schema the schema of the service's variables
 */
export function chartVariables(schema: TObject): [name: string, variable: ChartVariable][] {
  const required = schema.required ?? []
  return Object.entries(schema.properties as Record<string, TSchema & VariableOptions>)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, variable]) => {
      const instead = setBy.find(([pattern]) => pattern.test(name))?.[1]
      const isRequired = required.includes(name) && (variable as { default?: unknown }).default === undefined
      return [
        name,
        {
          schema: variable,
          ...(variable.secret && { secret: true }),
          ...(isRequired && { required: true }),
          ...(instead && { setBy: instead }),
        },
      ]
    })
}

/** The chart's files/variables.json: which process knows which variables. */
export function chartVariablesFile(): string {
  const schemas = { ...serviceSchemas, migrate: migrateSchema, 'wait-for-migrations': waitSchema }
  const known = Object.entries(schemas).map(([name, schema]) => {
    const variables = chartVariables(schema)
    return [name, Object.fromEntries(variables.map(([name, { schema: _, ...flags }]) => [name, flags]))]
  })
  return `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`
}
