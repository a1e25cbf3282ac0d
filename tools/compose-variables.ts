import { serviceSchemas } from '@gatehouse/local/service-schemas'
import { serviceNames } from '@gatehouse/local/services'
import { namesOf } from './configuration-page.ts'

/** The variables that compose.yaml sets itself: addresses and ports, and those for its other containers. */
const fixed =
  /^(NODE_ENV|OAUTH2_(\w+_ADDR|DATABASE_(DIRECT_)?URL|DATABASE_POOLER|REDIS_URL|OTLP_ENDPOINT|GRPC_(?!REFLECTION)\w+|INTERNAL_\w+|SERVER_(HOST|PORT)))$/

/** Node.js itself reads it: the authorities of the user's own, for every connection with TLS. */
const authorities = 'NODE_EXTRA_CA_CERTS'

const head = `# Written by \`npm run generate\` from the schemas in services/*/src/config.ts. Do not edit.
# Each service gets the variables that it reads, with their values in .env, and nothing where .env has none.
services:
`

/** deploy/compose/variables.yaml: which variables each service in containers takes from .env. */
export function composeVariables(): string {
  const services = serviceNames.map((name) => {
    const variables = namesOf(serviceSchemas[name].properties).filter(
      (variable) => !fixed.test(variable.replace(/_FILE$/, '')),
    )
    const lines = [authorities, ...variables].sort().map((variable) => `      ${variable}:\n`)
    return `  ${name}:\n    environment:\n${lines.join('')}`
  })
  return head + services.join('')
}
