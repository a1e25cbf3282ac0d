import { defineConfig } from 'prisma/config'

// Prisma's command downloads its schema engine before it does anything, `generate` included, which never runs it.
// Naming any executable keeps it off the network. The price: `prisma migrate …` and `prisma db …` would run that
// stand-in and do nothing without saying so. Migrations are applied by `npm run migrate` (src/migrate.ts); who wants
// Prisma's own engine sets PRISMA_SCHEMA_ENGINE_BINARY to it.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath

export default defineConfig({
  schema: 'schema',
  migrations: { path: 'migrations' },
  datasource: { url: process.env.OAUTH2_DATABASE_URL ?? 'postgresql://localhost/gatehouse' },
})
