import { ConfigurationError } from '@gatehouse/kit/config/configuration-error'
import { parseDatabaseUrl } from '@gatehouse/prisma/database-url'
import { serverUrls } from '@gatehouse/prisma/server-urls'
import { parseTls } from '@gatehouse/prisma/tls'
import { Type } from '@gatehouse/proto/typebox'

/** The variable of those that migrate: `migrate` and the launcher. */
export const migrationVariables = {
  OAUTH2_MIGRATION_DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://.',
      rule: 'a postgresql:// or postgres:// URL',
      defaultText: 'OAUTH2_DATABASE_URL',
      secret: true,
      description:
        'The same database as a role that makes and changes tables, so that the one of OAUTH2_DATABASE_URL need not. See docs/operate/postgresql.md.',
      check({ OAUTH2_MIGRATION_DATABASE_URL: url }: { OAUTH2_MIGRATION_DATABASE_URL?: string }) {
        if (url !== undefined) parseDatabaseUrl(url, 'OAUTH2_MIGRATION_DATABASE_URL')
      },
    }),
  ),
}

/** The variable of those that need PostgreSQL itself where the services have a pooler. */
export const directVariables = {
  OAUTH2_DATABASE_DIRECT_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://.',
      rule: 'a postgresql:// or postgres:// URL',
      defaultText: 'none',
      secret: true,
      description:
        'The same database without the pooler, when OAUTH2_DATABASE_POOLER is transaction: for migrations and the locks of leaders.',
      check({ OAUTH2_DATABASE_DIRECT_URL: url }: { OAUTH2_DATABASE_DIRECT_URL?: string }) {
        if (url !== undefined) parseDatabaseUrl(url, 'OAUTH2_DATABASE_DIRECT_URL')
      },
    }),
  ),
}

/** The variables of the services' connections. */
export const databaseVariables = {
  OAUTH2_DATABASE_URL: Type.String({
    pattern: '^postgres(ql)?://.',
    rule: 'a postgresql:// or postgres:// URL',
    defaultText: 'the local launcher starts an embedded PostgreSQL',
    secret: true,
    description:
      'The PostgreSQL database with all data. It may name several hosts, of which the one that accepts writes is taken: see docs/operate/postgresql.md.',
    check({ OAUTH2_DATABASE_URL: url }: { OAUTH2_DATABASE_URL?: string }) {
      if (url === undefined) return
      for (const server of serverUrls(parseDatabaseUrl(url))) parseTls(server)
    },
  }),
  OAUTH2_DATABASE_POOL_SIZE: Type.Integer({
    default: 10,
    minimum: 2,
    maximum: 500,
    rule: 'a whole number from 2 to 500',
    description:
      'The largest number of database connections of one process, in addition to one for health checks.',
  }),
  OAUTH2_DATABASE_POOLER: Type.Enum(['session', 'transaction'], {
    default: 'session',
    rule: 'one of session, transaction',
    description:
      'Whether OAUTH2_DATABASE_URL leads to a pooler in transaction mode; session means none, or one in session mode. See docs/operate/postgresql.md.',
    check(values: { OAUTH2_DATABASE_POOLER?: string; OAUTH2_DATABASE_DIRECT_URL?: string }) {
      if (values.OAUTH2_DATABASE_POOLER === 'transaction' && values.OAUTH2_DATABASE_DIRECT_URL === undefined)
        throw new ConfigurationError(
          'OAUTH2_DATABASE_DIRECT_URL must be set; OAUTH2_DATABASE_POOLER is transaction',
        )
    },
  }),
  ...directVariables,
}
