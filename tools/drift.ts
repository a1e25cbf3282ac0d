import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@gatehouse/local/postgres'
import { findDrift } from '@gatehouse/prisma/drift'
import { migrate } from '@gatehouse/prisma/migrate'

// Checks that the migrations make the database that Prisma's datamodel describes.

const quiet = { info: () => undefined, warn: () => undefined }
const dataDirectory = await mkdtemp(join(tmpdir(), 'gatehouse-drift-'))
const postgres = await startPostgres({ dataDirectory, durable: false, log: () => undefined })
try {
  await migrate({ databaseUrl: postgres.url, log: quiet })
  const drift = await findDrift(postgres.url)
  for (const line of drift) console.error(line)
  if (drift.length > 0) process.exitCode = 1
} finally {
  await postgres.stop()
  await rm(dataDirectory, { recursive: true, force: true })
}
