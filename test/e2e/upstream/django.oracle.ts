import { program } from '@gatehouse/test/programs/programs'
import { afterAll, beforeAll, describe } from 'vitest'
import { type Connected, connect, upstreamContract } from './contract.ts'
import { startDjangoProvider } from './django.ts'
import { startUpstreamWorld } from './upstream-world.ts'

const python = await program('django-oauth-toolkit')

describe.skipIf(!python)('Django OAuth Toolkit', () => {
  let provider: Awaited<ReturnType<typeof startDjangoProvider>>
  let connected: Connected

  beforeAll(async () => {
    provider = await startDjangoProvider(python as string)
    connected = await connect(await startUpstreamWorld(), provider)
  })
  afterAll(async () => {
    await connected?.world.system.stop()
    await provider?.close()
  })

  upstreamContract(() => connected)
})
