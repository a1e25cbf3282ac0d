import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { anyGateway, type Crew, rest } from './callers.ts'
import { maxAgeOf } from './history/record.ts'

/** Works as a resource server that verifies tokens by itself, with a key set that it keeps for a while. */
export async function verifier(crew: Crew, address: string): Promise<void> {
  const ask = crew.askFrom(address)
  const { random, ledger } = crew
  while (!crew.signal.aborted) {
    const path = '/.well-known/jwks.json'
    const asked = performance.now()
    const answer = await ask({ kind: 'key set', gateway: anyGateway(crew), path, allowed: [200] })
    if (answer.status === 200) {
      const keys = JSON.parse(answer.text) as JSONWebKeySet
      // Each time another part of the time for which it may be used, at most all of it.
      const until = asked + random.between(0.2, 1) * maxAgeOf(answer.headers)
      while (performance.now() < until && !crew.signal.aborted) {
        const newest = ledger.issued.slice(-50)
        if (newest.length > 0) await verify(crew, keys, random.pick(newest).token, address)
        await rest(crew, random.between(100, 300))
      }
    }
    await rest(crew)
  }
}

async function verify(crew: Crew, keys: JSONWebKeySet, token: string, client: string): Promise<void> {
  const invoked = performance.now()
  const issuer = crew.world.publicUrl
  const verified = await jwtVerify(token, createLocalJWKSet(keys), { issuer }).catch((error) => error)
  // Tokens that are young enough to have been picked may have expired in a long run with short ones.
  if (verified instanceof errors.JWTExpired) return
  const outcome = verified instanceof Error ? 'refused' : 'ok'
  const times = { invoked, returned: performance.now() }
  crew.note({ client, kind: 'verify', gateway: 'none', ...times, outcome, of: {} })
}
