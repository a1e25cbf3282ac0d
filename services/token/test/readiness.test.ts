import { expect, test } from 'vitest'
import { createResourceIndicators } from '../src/clients/resource-indicators.ts'
import { createResourceServers } from '../src/clients/resource-servers.ts'
import { tryToIssue } from '../src/readiness.ts'
import { createAccessTokenSigner } from '../src/tokens/access-token.ts'
import { onlyDefault } from './keys/keys.ts'

test('a replica is not ready before it has read the resource servers', async () => {
  const servers = createResourceServers({
    lookup: async () => ({ version: '1', servers: [] }),
    monotonicNow: () => 0,
  })
  const trial = () =>
    tryToIssue({
      signer: createAccessTokenSigner(onlyDefault('a secret of at least thirty-two bytes'), {
        ...{ algorithm: 'HS256', issuer: 'https://auth.example', audience: undefined },
      }),
      registry: { lookup: async () => ({ changed: [], unknown: [] }) },
      resourceIndicators: createResourceIndicators(servers, new Set()),
      now: Date.now,
    })
  await expect(trial()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  await servers.refresh()
  await expect(trial()).resolves.toBeUndefined()
})
