import { hasRedis } from '@gatehouse/test/redis'
import { expect, test } from 'vitest'
import { runProof } from '../src/proof.ts'

const seed = 17

test.skipIf(!hasRedis)(
  `a short run with faults finds a code with two winners in a system without the lock, and nothing else (seed ${seed})`,
  { timeout: 240_000, retry: 0 },
  async () => {
    const options = { minutes: 0.4, seed, quick: true, plant: 'read-then-write' }
    const rest = { keep: false, out: undefined, plants: false, check: undefined }
    const lines: string[] = []
    const { checks, findings, sizes, faults } = await runProof(
      { ...options, ...rest },
      new AbortController().signal,
      (line) => void lines.push(line),
    )
    expect(findings.length, lines.join('\n')).toBeGreaterThan(0)
    expect([...new Set(findings.map(({ rule }) => rule))], lines.join('\n')).toEqual([
      'a code has one winner',
    ])
    const broken = checks.filter(({ failures }) => failures.length > 0).map(({ name }) => name)
    expect(broken.toSorted()).toEqual([
      'a code gives tokens once',
      'a code has one winner',
      'a family of refresh tokens has one that is unused, in the database',
    ])
    expect(faults.length).toBeGreaterThan(1)
    expect(sizes.operations).toBeGreaterThan(500)
  },
)
