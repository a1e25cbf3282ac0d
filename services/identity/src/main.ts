import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanUpMetric } from '@gatehouse/kit/metrics'
import { runProcess } from '@gatehouse/kit/process'
import { repeat, untilDone } from '@gatehouse/kit/repeat'
import { createRpcClient } from '@gatehouse/kit/rpc-client'
import { serve } from '@gatehouse/kit/service'
import { createElection } from '@gatehouse/prisma/election'
import { openServiceDatabase } from '@gatehouse/prisma/service-database'
import { TokenServiceService } from '@gatehouse/proto/token/v1'
import { seedAdministrator } from './authentication.ts'
import { createCleaning } from './cleaning.ts'
import { identityConfig } from './config.ts'
import { identityMetrics } from './metrics.ts'
import { createPasswordHashing } from './password.ts'
import { createDelivery } from './pending-revocations.ts'
import { identityRpcs } from './rpc.ts'
import { createConsentStore } from './store/consents.ts'
import { createDisablingStore } from './store/disabling.ts'
import { deletionsOfExpired } from './store/expired.ts'
import { createLoginFailureStore } from './store/login-failures.ts'
import { createPasswordStore } from './store/passwords.ts'
import { createPendingRevocationStore } from './store/pending-revocations.ts'
import { createSessionStore } from './store/sessions.ts'
import { createUserStore } from './store/users.ts'
import { revokeOver } from './token-client.ts'

/** In milliseconds; the first between two tries while the database is away. */
const seedEvery = 5_000
const tokenTimeout = 2_000
const deliverEvery = 1_000
const cleanEvery = 60_000

await runProcess('identity', identityConfig, async (context) => {
  const { config, log, registry } = context
  const database = await openServiceDatabase(context)
  const users = createUserStore(database)
  const hashing = createPasswordHashing()
  const { OAUTH2_SEED_USERNAME: username, OAUTH2_SEED_PASSWORD: password } = config
  if (password) {
    const seed = async () => {
      if (await seedAdministrator(username, password, users, hashing, randomUUID)) {
        log.info({ username }, 'created the first administrator')
      }
    }
    await untilDone(context, 'creating the first administrator', seedEvery, seed)
  }

  const rpc = createRpcClient(TokenServiceService, config.OAUTH2_TOKEN_ADDR, tokenTimeout)
  context.onShutdown(() => rpc.close())
  const store = createPendingRevocationStore(database)
  const { deliver, deliverAll } = createDelivery({ store, revoke: revokeOver(rpc), log })
  repeat(context, 'telling the token service of revocations', deliverEvery, deliverAll)

  const election = createElection(database.pool, 'identity clean-up')
  const parts = deletionsOfExpired(database)
  context.onShutdown(election.resign)
  const clean = createCleaning({
    isElected: election.isElected,
    parts,
    cleanedUp: cleanUpMetric(registry),
    log,
  })
  repeat(context, 'cleaning up', cleanEvery, clean)

  const sessions = createSessionStore(database)
  const { authenticationFailed } = identityMetrics(registry)
  const guarding = {
    failures: createLoginFailureStore(database),
    authenticationFailed,
    hashing,
    // Not all at once again.
    pause: () => sleep(50 + Math.random() * 100),
  }
  await serve(context, {
    implementations: [
      identityRpcs({
        login: { ...guarding, users, sessions, randomBytes, randomUuid: randomUUID, log },
        sessions,
        passwordChange: { ...guarding, passwords: createPasswordStore(database) },
        consents: createConsentStore(database),
        adding: { store: users, hashing, randomUuid: randomUUID },
        disabling: { store: createDisablingStore(database), deliver },
      }),
    ],
    probeDatabase: database.probe,
  })
})
