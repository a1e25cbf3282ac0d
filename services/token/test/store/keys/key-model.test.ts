import { keySetMaxAge } from '@gatehouse/proto/algorithms'
import fc from 'fast-check'
import { decodeProtectedHeader } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { signsUnread } from '../../../src/keys/signing-keys.ts'
import { useDatabase } from '../database.ts'
import {
  type Clock,
  createClock,
  createGateway,
  createReplica,
  type Gateway,
  type Replica,
  tokenLifetime,
  Verifier,
} from './key-world.ts'

// A model of signing keys and of verifiers that know an earlier key set. Random histories of it are played with the real keys, store
// and RPC on two replicas, with the gateways' cache in between; a replica may be cut off from the database. Promises of docs/operate/keys.md:
//   - whoever has a key set that they may still use can verify every valid token, whenever it was signed;
//   - after an immediate rotation nobody accepts an earlier token who got the key set since then, and nobody at all after 300 s.

const shared = useDatabase()
let databases: Parameters<typeof createReplica>[0][] = []
beforeAll(() => {
  databases = [shared.database, shared.another()]
})

type Token = { text: string; kid: string; endsAt: number }

type Model = {
  clock: Clock
  tokens: Token[]
  /** When the answer came that these keys are withdrawn, in seconds. */
  withdrawn: Map<string, number>
  /** When an immediate rotation was answered whose key not everybody could know before. */
  sudden: Map<string, number>
}
type Real = { replicas: Replica[]; gateways: Gateway[]; verifiers: Verifier[] }
type Command = fc.AsyncCommand<Model, Real>

const pick = <Item>(items: readonly Item[], number: number) => items[number % items.length] as Item

/** The time in which a gateway's key set counts as new, in seconds, and the calls of a check. */
const slack = 2.5

/** The answer that a verifier must give about a token; undefined: either. */
function expected(
  { kid, endsAt }: Token,
  verifier: Verifier,
  { clock, withdrawn, sudden }: Model,
): boolean | undefined {
  const endedAt = withdrawn.get(kid)
  if (endedAt !== undefined) {
    const isBlind = verifier.knowsSince < endedAt && clock.now() < endedAt + keySetMaxAge + slack
    return isBlind ? undefined : false
  }
  if (clock.now() > endsAt) return undefined
  return verifier.knowsSince < (sudden.get(kid) ?? Number.NEGATIVE_INFINITY) ? undefined : true
}

/** Every verifier whose key set may be used, and every replica that knows the keys, says what it must of every token. */
async function expectVerdicts(model: Model, { verifiers, replicas }: Real): Promise<void> {
  for (const token of model.tokens.slice(-6)) {
    for (const [index, verifier] of verifiers.entries()) {
      const must = expected(token, verifier, model)
      if (verifier.isReady && must !== undefined)
        expect([`verifier ${index}`, token.kid, await verifier.accepts(token.text)]).toEqual([
          `verifier ${index}`,
          token.kid,
          must,
        ])
    }
    for (const [index, replica] of replicas.entries()) {
      const endedAt = model.withdrawn.get(token.kid)
      const knows = !replica.state.cutOff && replica.state.readAt >= (endedAt ?? 0)
      if (knows && (endedAt !== undefined || model.clock.now() < token.endsAt))
        expect([`replica ${index}`, await replica.accepts(token.text)]).toEqual([
          `replica ${index}`,
          endedAt === undefined,
        ])
    }
  }
}

const command = (name: string, run: Command['run'], check: Command['check'] = () => true): Command => ({
  ...{ check, toString: () => name },
  async run(model, real) {
    await run(model, real)
    await expectVerdicts(model, real)
  },
})

const wait = (seconds: number) => command(`wait ${seconds} s`, ({ clock }) => clock.pass(seconds))

/** The work of a replica in every second. */
const read = (replica: number) =>
  command(`read ${replica}`, async (_, { replicas }) => {
    const one = pick(replicas, replica)
    if (one.state.cutOff)
      await expect(one.rotation.refresh()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    else await one.rotation.refresh()
  })

const sign = (replica: number) =>
  command(`sign ${replica}`, async (model, { replicas }) => {
    const one = pick(replicas, replica)
    const unread = model.clock.now() - one.state.readAt
    const signed = await one.sign().catch(({ code }: { code: string }) => code)
    // Between these bounds it may have been either, while this was measured.
    if (unread > signsUnread) expect(signed).toBe('temporarily_unavailable')
    if (signed === 'temporarily_unavailable')
      expect(model.clock.now() - one.state.readAt).toBeGreaterThan(signsUnread)
    else
      model.tokens.push({
        text: signed,
        kid: decodeProtectedHeader(signed).kid ?? '',
        endsAt: model.clock.now() + tokenLifetime,
      })
  })

const rotate = (replica: number) =>
  command(`rotate ${replica}`, async (_, { replicas }) => {
    const one = pick(replicas, replica)
    if (one.state.cutOff) return
    const [newest] = await one.rotate(false)
    expect(newest?.state).toBe('staged')
  })

const withdraw = (replica: number) =>
  command(`withdraw all ${replica}`, async (model, { replicas }) => {
    const one = pick(replicas, replica)
    if (one.state.cutOff) return
    const before = await shared.query('select kid from token.signing_key_pairs')
    const [newest, ...others] = await one.rotate(true)
    expect([newest?.state, others]).toEqual(['active', []])
    const answeredAt = model.clock.now()
    for (const { kid } of before) model.withdrawn.set(String(kid), answeredAt)
    model.sudden.set(newest?.kid ?? '', answeredAt)
  })

const fetchKeys = (verifier: number, gateway: number) =>
  command(`verifier ${verifier} asks gateway ${gateway}`, (_, { verifiers, gateways }) =>
    pick(verifiers, verifier).fetch(pick(gateways, gateway)),
  )

const cut = (replica: number, cutOff: boolean) =>
  command(`${cutOff ? 'cut off' : 'reconnect'} ${replica}`, async (_, { replicas }) => {
    pick(replicas, replica).state.cutOff = cutOff
  })

/** Two replicas with their gateways, and three verifiers, on keys that were made a moment ago. */
async function begin(): Promise<{ model: Model; real: Real }> {
  await shared.query('truncate token.signing_key_pairs')
  const clock = createClock(shared)
  const replicas: Replica[] = []
  // The work while an immediate rotation waits: every replica that can reads the keys.
  const waited = async (seconds: number) => {
    await clock.pass(seconds)
    for (const { state, rotation } of replicas) if (!state.cutOff) await rotation.refresh()
  }
  for (const database of databases) replicas.push(createReplica(database, clock, waited))
  for (const { rotation } of replicas) await rotation.prepare()
  const gateways = replicas.map((replica) => createGateway(replica, clock))
  const verifiers = [0, 1, 2].map(() => new Verifier(clock))
  return {
    model: { clock, tokens: [], withdrawn: new Map(), sudden: new Map() },
    real: { replicas, gateways, verifiers },
  }
}

const two = fc.nat(1)
const often = (weight: number, arbitrary: fc.Arbitrary<Command>) =>
  Array.from({ length: weight }, () => arbitrary)
const commands = fc.commands(
  [
    ...often(4, fc.constantFrom(0.6, 2, 8, 12, 100, 290, 305, 3_300).map(wait)),
    ...often(3, two.map(read)),
    ...often(3, two.map(sign)),
    ...often(
      2,
      fc.tuple(fc.nat(2), two).map(([verifier, gateway]) => fetchKeys(verifier, gateway)),
    ),
    ...often(2, two.map(rotate)),
    two.map(withdraw),
    fc.tuple(two, fc.constantFrom(true, false, false)).map(([replica, cutOff]) => cut(replica, cutOff)),
  ],
  { maxCommands: 40, size: 'max' },
)

test('signing keys behave as their model in random histories', { timeout: 300_000 }, async () => {
  const numRuns = process.env.GATEHOUSE_TEST_LONG ? 3_000 : 100
  await fc.assert(
    fc.asyncProperty(commands, async (history) => {
      const world = await begin()
      await fc.asyncModelRun(() => world, history)
    }),
    { numRuns },
  )
})
