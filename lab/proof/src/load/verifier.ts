import { importJWK, type JWK, jwtVerify } from 'jose'
import { anyGateway, type Crew, rest } from './callers.ts'

/** A key set that a verifier has fetched, and until when it may use it. */
type KeySet = { keys: Map<string, JWK>; until: number }

/** How long a verifier that is told nothing keeps a key set, in milliseconds. */
const unstated = 0

/**
 * Works as a resource server that verifies signatures by itself. It keeps a key set for as long as the answer allows, and never
 * fetches it for a key that it does not know, as the strictest verifiers do.
 */
export async function verifier(crew: Crew, name: string, address: string): Promise<void> {
  const ask = crew.askFrom(name, address)
  let set: KeySet | undefined
  while (!crew.signal.aborted) {
    const now = crew.recorder.now()
    if (!set || now >= set.until) set = (await fetchKeySet()) ?? set
    // Only tokens that were answered after the set was fetched need a key that might be missing in it.
    const token = crew.wallet.newestToken()
    if (set && token && crew.recorder.now() < Math.min(set.until, token.name.expires - 5_000)) {
      const key = set.keys.get(token.name.kid)
      const valid = key !== undefined && (await verifies(token.text, key))
      const at = crew.recorder.now()
      crew.recorder.record({
        ...{
          client: name,
          name: 'verify',
          gateway: 'a',
          invoked: at,
          returned: at,
          outcome: 'ok',
          status: 200,
        },
        about: { token: token.name.jti, kid: token.name.kid },
        heard: { valid },
      })
    }
    await rest(crew, crew.random.between(50, 150))
  }

  async function fetchKeySet(): Promise<KeySet | undefined> {
    let set: KeySet | undefined
    await ask({
      name: 'key set',
      gateway: anyGateway(crew),
      path: '/.well-known/jwks.json',
      hear({ text, headers, began }) {
        const keys: JWK[] = JSON.parse(text).keys
        const maxAge = maxAgeOf(headers)
        set = { keys: new Map(keys.map((key) => [key.kid ?? '', key])), until: began + maxAge }
        return { kids: [...set.keys.keys()], maxAge }
      },
      allowed: [200],
    })
    return set
  }
}

/** Fetches the key set more often than a verifier, so that the history has what new verifiers get. */
export async function newVerifier(crew: Crew, address: string): Promise<void> {
  const ask = crew.askFrom('new verifier', address)
  while (!crew.signal.aborted) {
    await ask({
      name: 'key set',
      gateway: anyGateway(crew),
      path: '/.well-known/jwks.json',
      hear: ({ text, headers }) => {
        const keys: JWK[] = JSON.parse(text).keys
        return { kids: keys.map(({ kid = '' }) => kid), maxAge: maxAgeOf(headers) }
      },
      allowed: [200],
    })
    await rest(crew, crew.random.between(1_000, 3_000))
  }
}

function maxAgeOf(headers: Headers): number {
  const seconds = /max-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1]
  return seconds === undefined ? unstated : Number(seconds) * 1_000
}

async function verifies(token: string, jwk: JWK): Promise<boolean> {
  try {
    // The time is the checker's matter: the clocks of services jump.
    await jwtVerify(token, await importJWK(jwk), { typ: 'at+jwt', clockTolerance: 3_600 })
    return true
  } catch {
    return false
  }
}
