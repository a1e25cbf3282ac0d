import { defineConfig } from 'prisma/config'

// Prisma's command line downloads its schema engine before every command, even `generate`, which never runs it. Naming any
// executable prevents the download. Trap: `prisma migrate …` and `prisma db …` would run that executable and silently do
// nothing. `npm run migrate` (src/migrate.ts) applies the migrations. To use Prisma's own engine, set
// PRISMA_SCHEMA_ENGINE_BINARY to it.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath

export default defineConfig({
  schema: 'schema',
  migrations: { path: 'migrations' },
  datasource: { url: process.env.OAUTH2_DATABASE_URL ?? 'postgresql://localhost/gatehouse' },
})
