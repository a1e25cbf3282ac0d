import { randomBytes, randomUUID } from 'node:crypto'
import { runProcess } from '@gatehouse/kit/process'
import { serve } from '@gatehouse/kit/service'
import { openServiceDatabase } from '@gatehouse/prisma/service-database'
import { clientRegistryConfig } from './config.ts'
import { clientRegistryRpcs } from './rpc.ts'
import { createClientStore } from './store/clients.ts'

await runProcess('client-registry', clientRegistryConfig, async (context) => {
  const database = await openServiceDatabase(context)
  const store = createClientStore(database)
  const scopesSupported = new Set(context.config.OAUTH2_SCOPES_SUPPORTED.split(' '))
  const publicClients = context.config.OAUTH2_PUBLIC_CLIENTS_ENABLED
  const registration = { store, scopesSupported, publicClients, randomUuid: randomUUID, randomBytes }
  await serve(context, {
    implementations: [clientRegistryRpcs({ registration, store })],
    probeDatabase: database.probe,
  })
})
