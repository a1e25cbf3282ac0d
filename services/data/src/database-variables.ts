import { parseDatabaseUrl } from '@gatehouse/prisma/database-url'
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

/** The variables of the services' connections. */
export const databaseVariables = {
  OAUTH2_DATABASE_URL: Type.String({
    pattern: '^postgres(ql)?://.',
    rule: 'a postgresql:// or postgres:// URL',
    defaultText: 'the local launcher starts an embedded PostgreSQL',
    secret: true,
    description: 'The PostgreSQL database with all data.',
    check({ OAUTH2_DATABASE_URL: url }: { OAUTH2_DATABASE_URL?: string }) {
      if (url !== undefined) parseDatabaseUrl(url)
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
}
