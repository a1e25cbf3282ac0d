import { hasRedis } from '@gatehouse/test/redis'
import { expect, test } from 'vitest'
import { runProof } from '../src/proof.ts'

const seed = 17

test.skipIf(!hasRedis)(
  `a short run with faults finds a cache without a limit, and nothing else in the history (seed ${seed})`,
  { timeout: 240_000, retry: 0 },
  async () => {
    const options = { minutes: 0.4, seed, quick: true, plant: 'endless-cache' }
    const rest = { keep: false, out: undefined, plants: false, check: undefined }
    const lines: string[] = []
    const { findings, sizes, faults } = await runProof(
      { ...options, ...rest },
      new AbortController().signal,
      (line) => void lines.push(line),
    )
    const broken = [...new Set(findings.map(({ rule }) => rule))]
    expect(broken, lines.join('\n')).toEqual(['a token that was revoked is not active'])
    expect(faults.length).toBeGreaterThan(1)
    expect(sizes.operations).toBeGreaterThan(500)
  },
)
