import type { VariableOptions } from '@gatehouse/kit/config/config'
import { fileVariableOf } from '@gatehouse/kit/config/secret-file'
import { launcherConfig } from '@gatehouse/local/config'
import { serviceSchemas } from '@gatehouse/local/service-schemas'
import { serviceNames } from '@gatehouse/local/services'
import type { TObject, TSchema } from '@gatehouse/proto/typebox'
import { upstreamProviders } from '../services/identity/src/providers/table.ts'
import { migrateSchema } from './chart-variables.ts'

/** The variables of each process. */
const processes: Record<string, TObject> = {
  ...serviceSchemas,
  launcher: launcherConfig,
  migrate: migrateSchema,
}

const head = `<!-- Written by \`npm run generate\` from the schemas in services/*/src/config.ts. Do not edit. -->

# Configuration

Every process reads its variables once, when it starts. If some are invalid, it does not start and names all of them. An empty
variable counts as not set. For an unknown variable that begins with OAUTH2_, a warning names the most similar known one.
"launcher" is what \`npm start\` runs: it passes each service the variables that the service needs, and shows the warnings that a service logs
while it starts. OAUTH2_JWT_SECRET and OAUTH2_SESSION_KEY of less than 32 bytes are refused where NODE_ENV is \`production\`, as it is in the
image; elsewhere there is a warning.

A variable with "(or _FILE)" is secret. Its value may be in a file, whose path is then in the variable of that name with _FILE at its end, as
in \`OAUTH2_JWT_SECRET_FILE=/run/secrets/jwt\`; a line break at the end of the file does not count. [Secrets in files](../operate/tls.md#secrets-in-files)
says which files are read again when they change.
`

/** The variables about which everybody who runs the system decides, and why. */
const first: readonly (readonly [variable: string, why: string])[] = [
  [
    'OAUTH2_SERVER_PUBLIC_BASE_URL',
    'The address at which people and apps reach the server. It is the issuer of all tokens.',
  ],
  ['OAUTH2_DATABASE_URL', 'Where everything is stored.'],
  [
    'OAUTH2_JWT_SECRET',
    'The secret behind all signing keys. Keep a copy: without it every earlier access token and ID token is invalid; refresh tokens stay valid.',
  ],
  ['OAUTH2_SESSION_KEY', 'Signs the cookies of browsers. Without it everybody logs in again.'],
  [
    'OAUTH2_FACTOR_KEY',
    'Encrypts the secrets of authenticator apps. Keep a copy: without it users add their apps again.',
  ],
  ['OAUTH2_PROFILE', 'Plain OAuth 2.0, OpenID Connect, or clients that nobody registered before (MCP).'],
  ['OAUTH2_SEED_PASSWORD', 'The password of the first administrator.'],
  [
    'OAUTH2_SERVER_TRUST_PROXY_HEADERS',
    'The proxies before the server. Otherwise all limits count for their address.',
  ],
  ['OAUTH2_REDIS_URL', 'Makes the limits exact over several gateways.'],
  ['OAUTH2_SMTP_URL', 'The mail server, for sign-up, lost passwords and invitations.'],
]

/** The sections of the page, with their variables. The first one that matches has a variable. */
const sections: readonly (readonly [title: string, variables: RegExp])[] = [
  [
    'Profile and protocol',
    /_(PROFILE|OPENID_ENABLED|ORGANIZATIONS_ENABLED|RESOURCE_INDICATORS|PUSHED_AUTHORIZATION_REQUESTS|PASSWORD_GRANT_ENABLED|REFRESH_TOKEN_ENABLED)$/,
  ],
  ['Profile and protocol', /_(INTROSPECTION_REQUIRE_AUTH|SCOPES_SUPPORTED|CORS_ORIGINS)$/],
  [
    'Tokens and keys',
    /_(ACCESS_TOKEN_.*|AUTHORIZATION_CODE_TTL|REFRESH_TOKEN_TTL|ID_TOKEN_ALGORITHMS|JWT_SECRET(_NEXT)?)$/,
  ],
  [
    'Clients and their registration',
    /_(REGISTRATION(_TOKEN)?|PUBLIC_CLIENTS_ENABLED|CLIENT_AUTH_METHODS|CLIENT_METADATA_.*)$/,
  ],
  ['Clients and their registration', /_(CLIENT_CERTIFICATE_.*|MTLS_.*)$/],
  [
    'Clients and their registration',
    /_(SCOPE_STEP_UP_ENABLED|FETCH_ALLOWED_NETWORKS|UNUSED_REGISTRATION_DAYS)$/,
  ],
  ['What is kept, and for how long', /_(AUDIT_LOG_DAYS|LOGIN_HISTORY_DAYS|MAIL_HISTORY_DAYS|LOG_CALLERS)$/],
  [
    'People',
    /_(SEED_.*|SIGNUP|ACCOUNT_DELETION|MFA|DNS_SERVERS|(SESSION|FACTOR)_KEY(_NEXT)?|GEOIP_DATABASE)$/,
  ],
  ['Mail', /_(SMTP_.*|MAIL_.*)$/],
  [
    'Logins through other providers',
    new RegExp(`^OAUTH2_(${upstreamProviders.map(({ name }) => name.toUpperCase()).join('|')})_`),
  ],
  ['Brand', /_BRAND_/],
  ['Events', /_EVENTS_(?!ADDR$)/],
  ['Limits', /_RATE_LIMIT_/],
  ['Resilience', /_RESILIENCE_/],
  ['Database and Redis', /_((MIGRATION_)?DATABASE_.*|REDIS_URL)$/],
  ['Processes and their addresses', /_(SERVER_.*|.*_ADDR|GRPC_.*|INTERNAL_.*|OTLP_ENDPOINT)$/],
  ['Processes and their addresses', /^(NODE_ENV|LOG_LEVEL|GATEHOUSE_DATA_DIR)$/],
]

/** The mark of a variable whose value may be in a file. */
const ofFile = '(or _FILE)'

const tableHead = `| Variable | Default | Must be | What it does | Read by |
|---|---|---|---|---|
`

/**
 * proto/variable-names.ts: the names of all processes' variables that begin with OAUTH2_. With it a process distinguishes a variable of
 * another process from an unknown one.
 */
export function variableNamesFile(): string {
  const all = Object.values(processes).flatMap(({ properties }) => namesOf(properties))
  const names = new Set(all.filter((name) => name.startsWith('OAUTH2_')))
  const lines = [...names].sort().map((name) => `  '${name}',\n`)
  return `// Written by \`npm run generate\` from the schemas in services/*/src/config.ts. Do not edit.

/** The names of all processes' variables that begin with OAUTH2_. */
export const variableNames: readonly string[] = [
${lines.join('')}]
`
}

/** The names of variables, and of the files of secret ones. */
export function namesOf(properties: Record<string, TSchema & Partial<VariableOptions>>): string[] {
  return Object.entries(properties).flatMap(([name, { secret }]) =>
    secret ? [name, fileVariableOf(name)] : name,
  )
}

/**
 * docs/reference/configuration.md, from the schemas of all processes.
 * @throws Error for a variable that no section has
 */
export function configurationPage(): string {
  const variables = new Map<string, { schema: TSchema & Partial<VariableOptions>; readBy: string[] }>()
  for (const [name, config] of Object.entries(processes)) {
    for (const [variable, schema] of Object.entries(config.properties)) {
      const known = variables.get(variable)
      if (known) known.readBy.push(name)
      else variables.set(variable, { schema, readBy: [name] })
    }
  }
  const rows = new Map<string, string[]>(sections.map(([title]) => [title, []]))
  for (const [variable, { schema, readBy }] of [...variables].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [title = ''] = sections.find(([, matching]) => matching.test(variable)) ?? []
    const section = rows.get(title)
    if (section === undefined)
      throw new Error(`no section of docs/reference/configuration.md has ${variable}`)
    section.push(
      `| ${variable}${schema.secret ? ` ${ofFile}` : ''} | ${defaultOf(schema)} | ${schema.rule ?? ''} | ${linked(schema.description ?? '')} | ${readersIn(readBy)} |\n`,
    )
  }
  const tables = [...rows].map(([title, lines]) => `\n## ${title}\n\n${tableHead}${lines.join('')}`)
  return head + firstTable() + tables.join('')
}

/** A description whose names of pages lead to them. */
function linked(description: string): string {
  return description.replaceAll(/\bdocs\/([\w/-]+\.md)/g, '[$1](../$1)')
}

/** The processes that read a variable, the services in a word if it is all of them. */
function readersIn(names: readonly string[]): string {
  const services: readonly string[] = serviceNames
  if (!services.every((name) => names.includes(name))) return names.join(', ')
  return ['every service', ...names.filter((name) => !services.includes(name))].join(', ')
}

function firstTable(): string {
  const rows = first.map(([variable, why]) => `| ${variable} | ${why} |\n`)
  return `\n## First\n\nThese ten matter to everybody who runs the system.\n\n| Variable | Why |\n|---|---|\n${rows.join('')}`
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
