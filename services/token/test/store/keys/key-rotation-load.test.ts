import { setTimeout as sleep } from 'node:timers/promises'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { claims } from '../../keys/key-replica.ts'
import { someActor } from '../../keys/key-store.ts'
import { useKeyPairs } from './key-pair-replicas.ts'

const { start } = useKeyPairs()

// A second here is five minutes of a real system. The verifier uses a key set for all of its max-age and asks for no other in
// between, and each token is verified when it is issued and again just before its end.
const maxAge = 1_000
const tokenLifetime = 1_500
const readEvery = 50
// Covers a reading or a verification that waits for a busy machine.
const margin = 600

const durations = { staged: (maxAge + margin) / 1000, retiring: (tokenLifetime + margin) / 1000 }

test('rotations on two replicas under load refuse no token, even at a verifier that asks for the keys as rarely as it may', {
  timeout: 60_000,
}, async () => {
  const replicas = [await start({ durations }), await start({ durations })] as const
  let running = true
  const refused: string[] = []
  const kids = new Set<string>()
  let verified = 0

  const reading = replicas.map(async ({ rotation }) => {
    while (running) {
      await rotation.refresh()
      await sleep(readEvery)
    }
  })
  // The verifiers begin at different times of the max-age.
  const verifiers = [0, 0.3, 0.6].map((phase) => {
    let keySet: ReturnType<typeof createLocalJWKSet> | undefined
    let until = performance.now() + maxAge * phase
    return async (token: string) => {
      if (keySet === undefined || performance.now() >= until) {
        until = performance.now() + maxAge
        keySet = createLocalJWKSet({ keys: replicas[0].keys.published() } as unknown as JSONWebKeySet)
      }
      await jwtVerify(token, keySet, { issuer: claims.iss, algorithms: ['ES256'] }).then(
        ({ protectedHeader }) => kids.add(protectedHeader.kid ?? ''),
        (error) => refused.push(`${error}`),
      )
      for (const { signer } of replicas) if ((await signer.verify(token)) === undefined) refused.push('here')
      verified += 1
    }
  })
  const later: Promise<void>[] = []
  const issuing = replicas.map(async ({ signer }) => {
    while (running) {
      signer.checkFresh()
      const token = await signer.sign({ ...claims, exp: 2_000_000_000 })
      for (const verify of verifiers) await verify(token)
      later.push(
        sleep(tokenLifetime - 100).then(async () => {
          for (const verify of verifiers) await verify(token)
        }),
      )
      await sleep(10)
    }
  })
  try {
    for (let round = 0; round < 3; round += 1) {
      await replicas[round % 2]?.rotation.rotate({ immediately: false }, someActor)
      await sleep(maxAge + margin + 500)
    }
    await sleep(tokenLifetime)
  } finally {
    running = false
    await Promise.all([...reading, ...issuing, ...later])
  }
  expect(refused).toEqual([])
  expect(kids.size).toBe(4)
  expect(verified).toBeGreaterThan(500)
  // The overlap of all but the last rotation has ended.
  expect(replicas[0].keys.published().length).toBeLessThanOrEqual(2)
})
