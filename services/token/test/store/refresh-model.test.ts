import { hash } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { useDatabase } from './database.ts'
import { startReplica } from './replica.ts'

// A model of refresh tokens: rotation, the ten seconds in which a lost answer can be asked for again, reuse, and revocation. Random
// histories of it are played with the real store, on two replicas that share calls and statements as in production.

const shared = useDatabase()
let replicas: ReturnType<typeof startReplica>[] = []
const replica = (index: number) => replicas[index % 2] ?? expect.unreachable('no replica')
beforeAll(() => {
  replicas = [startReplica(shared.database), startReplica(shared.another())]
})

/** Seconds for which a used token gives the same successor again. */
const grace = 10

/** A refresh token as the model knows it. */
type ModelToken = {
  text: string
  /** Seconds since its first use. */
  usedFor: number | undefined
  successorUsed: boolean
}

/** A grant: each token is the successor of the one before it. */
type ModelGrant = { chain: ModelToken[]; accessTokens: string[]; revoked: boolean }

type Model = { grants: ModelGrant[] }
type Command = fc.AsyncCommand<Model, object>

const mayBeUsed = ({ revoked }: ModelGrant, { usedFor, successorUsed }: ModelToken) =>
  !revoked && (usedFor === undefined || (usedFor < grace && !successorUsed))

/** The effect of a use of a token in the model; `text` is the successor that a caller really got. */
function use(grant: ModelGrant, at: number, text: string): void {
  const [before, token] = [grant.chain[at - 1], grant.chain[at] as ModelToken]
  token.usedFor ??= 0
  if (before) before.successorUsed = true
  if (grant.chain.length === at + 1) grant.chain.push({ text, usedFor: undefined, successorUsed: false })
}

/** Picks one of several by any number. */
const pick = <Item>(items: readonly Item[], number: number) => items[number % items.length] as Item

/** Uses a token of each of some grants, all at the same moment, each so often. */
class Refresh implements Command {
  readonly uses: readonly { grant: number; token: number; times: number }[]
  constructor(uses: Refresh['uses']) {
    this.uses = uses
  }
  check = () => true

  async run({ grants }: Model): Promise<void> {
    const chosen = new Map(this.uses.map((one) => [pick(grants, one.grant), one]))
    await Promise.all(
      [...chosen].map(async ([grant, { token: number, times }]) => {
        const at = Math.max(0, grant.chain.length - number)
        const token = grant.chain[at] as ModelToken
        const works = mayBeUsed(grant, token)
        const settled = await Promise.allSettled(
          Array.from({ length: times }, (_, index) => replica(at + index).refresh(token.text)),
        )
        for (const one of settled) {
          if (!works) {
            expect(one).toMatchObject({ status: 'rejected', reason: { code: 'invalid_grant' } })
            continue
          }
          if (one.status === 'rejected') throw one.reason
          use(grant, at, one.value.refreshToken ?? '')
          expect(one.value.refreshToken).toBe(grant.chain[at + 1]?.text)
          grant.accessTokens.push(one.value.accessToken)
        }
        // A token that may not be used was stolen by one of its users, unless the grant had ended before.
        if (!works) grant.revoked = true
      }),
    )
  }
  toString = () =>
    `refresh ${this.uses.map((one) => `${one.times} × token -${one.token} of ${one.grant}`).join(', ')}`
}

/** Lets time pass. */
class Wait implements Command {
  readonly seconds: number
  constructor(seconds: number) {
    this.seconds = seconds
  }
  check = () => true

  async run({ grants }: Model): Promise<void> {
    const tokens = grants.flatMap(({ chain }) => chain)
    for (const token of tokens) if (token.usedFor !== undefined) token.usedFor += this.seconds
    await shared.query(
      `update token.refresh_tokens set used_at = used_at - make_interval(secs => $2) where token_digest = any($1)`,
      [tokens.map(({ text }) => hash('sha256', text, 'buffer')), this.seconds],
    )
  }
  toString = () => `wait ${this.seconds} s`
}

/** Revokes a refresh token, and its grant with it. */
class Revoke implements Command {
  readonly grant: number
  constructor(grant: number) {
    this.grant = grant
  }
  // Rarely, since nothing happens to the grant afterwards.
  check = () => this.grant < 2

  async run({ grants }: Model): Promise<void> {
    const grant = pick(grants, this.grant)
    await replica(this.grant).revoke(grant.chain.at(-1)?.text ?? '')
    grant.revoked = true
  }
  toString = () => `revoke ${this.grant}`
}

/** Every access token of a grant is active, or none is, on both replicas. */
async function expectStates({ grants }: Model): Promise<void> {
  for (const { accessTokens, revoked } of grants) {
    const active = await Promise.all(
      accessTokens.map((accessToken, index) => replica(index).isActive({ accessToken })),
    )
    expect(active).toEqual(accessTokens.map(() => !revoked))
  }
}

async function begin(): Promise<Model> {
  const grants = [0, 1].map(async (index): Promise<ModelGrant> => {
    const { code } = await replica(index).authorize()
    const { accessToken, refreshToken: text = '' } = await replica(index).redeem(code)
    const first = { text, usedFor: undefined, successorUsed: false }
    return { chain: [first], accessTokens: [accessToken], revoked: false }
  })
  return { grants: await Promise.all(grants) }
}

const uses = fc.array(
  // Counted from the newest token, which honest clients use.
  fc.record({
    grant: fc.nat(1),
    token: fc.constantFrom(1, 1, 1, 2, 2, 3),
    times: fc.constantFrom(1, 1, 2, 5),
  }),
  { minLength: 1, maxLength: 2 },
)
const refresh = uses.map((chosen) => new Refresh(chosen))
const commands = fc.commands(
  [
    ...[refresh, refresh, refresh, refresh],
    fc.constantFrom(4, 7, 11).map((seconds) => new Wait(seconds)),
    fc.nat(9).map((grant) => new Revoke(grant)),
  ],
  { maxCommands: 14, size: 'max' },
)

test('refresh tokens behave as their model in random histories', { timeout: 300_000 }, async () => {
  const numRuns = process.env.GATEHOUSE_TEST_LONG ? 2_000 : 60
  await fc.assert(
    fc.asyncProperty(commands, async (history) => {
      const model = await begin()
      await fc.asyncModelRun(() => ({ model, real: {} }), history)
      await expectStates(model)
    }),
    { numRuns },
  )
})
