import type { Addition } from '../addition.ts'
import { after, instead } from '../edit.ts'

const texts = 'services/console/src/activity/limit-texts.ts'

/** A limit with a variable of its own: the registrations of clients, which count among the other requests today. */
export const limit: Addition = {
  name: 'a limit',
  goal: 3,
  most: 6,
  entry: [after('services/gateway/src/limits/rate-limiter.ts', `  'introspect',\n`, `  'registration',\n`)],
  asks: ['services/gateway/src/limits/limit-table.ts'],
  rest: [
    after(
      'services/gateway/src/limits/limit-table.ts',
      `  introspect: 'OAUTH2_RATE_LIMIT_INTROSPECT',\n`,
      `  registration: 'OAUTH2_RATE_LIMIT_REGISTRATION',\n`,
    ),
    after(
      'services/gateway/src/config.ts',
      `  OAUTH2_RATE_LIMIT_INTROSPECT: limitVariable(100, 'at /oauth/introspect by one client'),\n`,
      `  OAUTH2_RATE_LIMIT_REGISTRATION: limitVariable(30, 'at /clients/register from one IP address'),\n`,
    ),
    after(
      'services/gateway/src/routes/register.ts',
      `    method: 'POST',\n    url: '/clients/register',\n`,
      `    config: { limit: 'registration' },\n`,
    ),
    instead(
      'services/admin-api/src/routes/rate-limits.ts',
      '`introspect`, `import`',
      '`introspect`, `registration`, `import`',
    ),
    after('services/gateway/test/limits.ts', `  introspect: 100,\n`, `  registration: 30,\n`),
    after('services/gateway/test/admin-limits.test.ts', `      introspect: 2,\n`, `      registration: 2,\n`),
    after(
      texts,
      `      introspect: 'Introspection',\n      import: 'Imports',\n`,
      `      registration: 'Registrations',\n`,
    ),
    after(texts, `      import: 'Importe',\n`, `      registration: 'Registrierungen',\n`),
    after(texts, `      import: 'الاستيراد',\n`, `      registration: 'التسجيلات',\n`),
  ],
}
