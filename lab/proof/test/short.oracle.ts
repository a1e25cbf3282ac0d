import { join } from 'node:path'
import { hasNats } from '@gatehouse/test/servers/nats'
import { hasRedis } from '@gatehouse/test/servers/redis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Check } from '../src/checker/check.ts'
import { plants } from '../src/plants/plants.ts'
import { type RunOptions, runOnce } from '../src/run.ts'
import { startWorld, type World } from '../src/world/world.ts'

/** The same faults each time; change it to try others. */
const seed = 20_261_125

const isPossible = process.platform === 'linux' && hasRedis && hasNats
const stack = new AsyncDisposableStack()
const ends: { name: string; at: number }[] = []
const { signal } = new AbortController()
const lines: string[] = []
let world: World

beforeAll(async () => {
  if (!isPossible) return
  const onCrash = (name: string) => void ends.push({ name, at: Date.now() })
  const tell = (line: string) => void lines.push(line)
  world = await startWorld({ stack, tell, onCrash, signal, accessTokenTtl: 300, keep: false })
}, 180_000)
afterAll(() => stack.disposeAsync(), 60_000)

async function run(options: Partial<RunOptions> & Pick<RunOptions, 'lengthMs'>): Promise<Check[]> {
  const historyFile = join(world.directory, `history-${options.lengthMs}.jsonl`)
  const { checks } = await runOnce({
    ...{ world, seed, signal, ends, historyFile },
    ...{ faultEveryMs: 2_500, calmMs: 2_000, dangerForB: 1, settleMs: 0 },
    most: { expired: 0, families: 20 },
    tell: (line) => void lines.push(line),
    ...options,
  })
  return checks
}

const failuresOf = (checks: readonly Check[]) =>
  checks.flatMap(({ name, failures }) => failures.map(({ text }) => `${name}: ${text}`))

test.skipIf(!isPossible)(
  'twenty seconds of faults break no promise',
  async () => {
    const checks = await run({ lengthMs: 20_000 })
    expect(failuresOf(checks), `seed ${seed}: ${lines.join('; ')}`).toEqual([])
    // Not because nothing was asked.
    for (const name of [
      'every answered token is stored',
      'a code gives tokens once',
      'every accepted event is delivered',
    ])
      expect(checks.find((check) => check.name === name)?.checked, name).toBeGreaterThan(5)
  },
  180_000,
)

test.skipIf(!isPossible)(
  'tokens that are answered before they are on disk are missed when PostgreSQL was killed',
  async () => {
    const plant = plants.find(({ name }) => name === 'tokens-unlogged') ?? expect.unreachable()
    const checks = await run({
      lengthMs: 9_000,
      statements: plant.statements,
      firstFaults: plant.needs && [plant.needs],
      most: { expired: 0, families: 0 },
    })
    const failures = checks.find(({ name }) => name === plant.foundBy)?.failures
    expect(failures?.length, `seed ${seed}: ${lines.join('; ')}`).toBeGreaterThan(0)
  },
  180_000,
)
