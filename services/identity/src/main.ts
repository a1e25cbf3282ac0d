import { randomUUID } from 'node:crypto'
import { runProcess } from '@gatehouse/kit/process'
import { untilDone } from '@gatehouse/kit/repeat'
import { serve } from '@gatehouse/kit/service'
import { openServiceDatabase } from '@gatehouse/prisma/service-database'
import { seedAdministrator } from './authentication.ts'
import { identityConfig } from './config.ts'
import { identityRpcs } from './rpc.ts'
import { createUserStore } from './store/users.ts'

/** Milliseconds between two tries while the database is away. */
const seedEvery = 5_000

await runProcess('identity', identityConfig, async (context) => {
  const { config, log } = context
  const database = await openServiceDatabase(context)
  const store = createUserStore(database)
  const { OAUTH2_SEED_USERNAME: username, OAUTH2_SEED_PASSWORD: password } = config
  if (password) {
    const seed = async () => {
      if (await seedAdministrator(username, password, store, randomUUID)) {
        log.info({ username }, 'created the first administrator')
      }
    }
    await untilDone(context, 'creating the first administrator', seedEvery, seed)
  }
  await serve(context, { implementations: [identityRpcs(store)], probeDatabase: database.probe })
})
