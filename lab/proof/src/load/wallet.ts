import { performance } from 'node:perf_hooks'
import type { TokenName } from '../history/lines.ts'
import { readPart } from '../history/names.ts'
import type { Random } from '../random.ts'
import type { Recorder } from './recorder.ts'

/** An access token, and its name in the history. */
export type AccessToken = { text: string; name: TokenName }

/** A family of refresh tokens. */
export type Family = {
  clientId: string
  /** The last refresh tokens in order; only the newest is current. */
  refreshTokens: string[]
  /** How many there were. */
  length: number
  newest: AccessToken
}

/** The newest tokens and families of a run; older ones are forgotten, so the memory of a load has a bound. */
export type Wallet = {
  /** Takes a token that was answered. */
  take(text: string): AccessToken
  keepFamily(family: Family): void
  /** A random one; undefined while there is none. */
  anyToken(random: Random): AccessToken | undefined
  newestToken(): AccessToken | undefined
  tokens(): readonly AccessToken[]
  families(): readonly Family[]
}

const mostTokens = 60_000
const mostFamilies = 2_000

/** Creates an empty wallet. */
export function createWallet(recorder: Pick<Recorder, 'now' | 'keepSecret'>): Wallet {
  const tokens: AccessToken[] = []
  const families: Family[] = []
  let [nextToken, nextFamily] = [0, 0]
  /** The difference that has to be added to a time by the wall clock, to get one by the clock of the run. */
  const epoch = performance.timeOrigin + performance.now() - recorder.now()
  return {
    take(text) {
      const [head = '', body = ''] = text.split('.')
      const { kid = '' } = readPart(head)
      const { jti = '', exp = 0 } = readPart(body)
      const token = { text, name: { jti, kid, expires: exp * 1_000 - epoch } }
      tokens[nextToken++ % mostTokens] = token
      recorder.keepSecret(text)
      return token
    },
    keepFamily(family) {
      families[nextFamily++ % mostFamilies] = family
    },
    anyToken: (random) => (tokens.length === 0 ? undefined : random.pick(tokens)),
    newestToken: () => tokens[(nextToken - 1) % mostTokens],
    tokens: () => tokens,
    families: () => families,
  }
}
