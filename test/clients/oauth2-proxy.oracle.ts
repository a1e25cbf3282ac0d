import { program } from '@gatehouse/test/programs/programs'
import { beforeAll, describe } from 'vitest'
import { type Provider, startProvider } from '../e2e/openid/openid-world.ts'
import { oauth2Proxy } from './libraries/oauth2-proxy.ts'

// Programs that let people in by the claim `groups`.

const proxy = await program('oauth2-proxy')

let provider: Provider
beforeAll(async () => {
  provider = await startProvider()
})

describe.skipIf(!proxy)('oauth2-proxy', () => oauth2Proxy(() => provider, proxy as string))
