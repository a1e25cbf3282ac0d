import type { Addition } from '../addition.ts'
import { after } from '../edit.ts'

const texts = 'services/console/src/activity/texts/limit.ts'

/** A limit with a variable of its own: the registrations of clients, which count among the other requests today. */
export const limit: Addition = {
  name: 'a limit',
  goal: 3,
  most: 3,
  asks: [],
  entry: [
    after(
      'proto/limits.ts',
      `    variable: { name: 'OAUTH2_RATE_LIMIT_INTROSPECT', where: 'at /oauth/introspect by one client' },\n  },\n`,
      `  registration: {
    perMinute: 30,
    variable: { name: 'OAUTH2_RATE_LIMIT_REGISTRATION', where: 'at /clients/register from one IP address' },
  },
`,
    ),
  ],
  rest: [
    after(
      'services/gateway/src/oauth/endpoints/register.ts',
      `    method: 'POST',\n    url: '/clients/register',\n`,
      `    config: { limit: 'registration' },\n`,
    ),
    after(
      texts,
      `      upstream_logout: 'Logouts by providers',\n      import: 'Imports',\n`,
      `      registration: 'Registrations',\n`,
    ),
    after(texts, `      import: 'Importe',\n`, `      registration: 'Registrierungen',\n`),
    after(texts, `      import: 'الاستيراد',\n`, `      registration: 'التسجيلات',\n`),
  ],
}
