import type { Ask } from './asking.ts'
import type { Client, Crew } from './callers.ts'
import type { Check } from './checks.ts'
import { introspectOne } from './final-introspection.ts'
import type { Grant, Issued } from './ledger.ts'
import { replicas } from './world.ts'

/** How many families of each sort are tried. */
const mostFamilies = 300

/**
 * Tries refresh tokens. The newest of a family that was not revoked gives tokens. After that, reusing an older one revokes
 * the family on both gateways. The newest of a revoked family gives nothing.
 */
export async function auditFamilies(crew: Crew, ask: Ask, clients: readonly Client[]): Promise<Check[]> {
  const live: Check = {
    name: 'the newest refresh token of a family that was not revoked gives tokens',
    checked: 0,
    failures: [],
  }
  const reused: Check = {
    name: 'an old refresh token revokes its family on both gateways',
    checked: 0,
    failures: [],
  }
  const ended: Check = { name: 'a revoked family gives no tokens', checked: 0, failures: [] }
  const known = crew.ledger.grants.filter(
    ({ refreshKnown, refreshTokens }) => refreshKnown && refreshTokens.length > 0,
  )
  for (const grant of known.toReversed()) {
    const client = clients.find(({ client_id }) => client_id === grant.clientId)
    const newest = grant.refreshTokens.at(-1)
    if (!client || !newest) continue
    const expected = expectationOf(crew, grant)
    if (expected === 'active' && live.checked < mostFamilies) {
      live.checked += 1
      const issued = await refresh(crew, ask, grant, client, newest)
      if (!issued) {
        live.failures.push(`a valid refresh token of a family with ${grant.refreshTokens.length} was refused`)
        continue
      }
      const old = grant.refreshTokens.at(-3)
      if (!old) continue
      reused.checked += 1
      if (await refresh(crew, ask, grant, client, old))
        reused.failures.push('an old refresh token was accepted')
      for (const gateway of replicas) {
        if ((await introspectOne(ask, issued, gateway)).active) {
          reused.failures.push(`a token is active at gateway ${gateway} after its family was revoked`)
        }
      }
    } else if (expected === 'inactive' && ended.checked < mostFamilies) {
      ended.checked += 1
      if (await refresh(crew, ask, grant, client, newest)) ended.failures.push('a revoked family gave tokens')
    }
  }
  return [live, reused, ended]
}

/** The expected state of an unexpired token of this grant. */
function expectationOf({ ledger }: Crew, grant: Grant) {
  const now = Date.now()
  const token = { token: '', grant, given: grant.given, expiresAt: Number.POSITIVE_INFINITY, endings: [] }
  return ledger.expectation(token, { began: now, ended: now })
}

/** @returns the access token; undefined when it was refused. A new refresh token becomes the family's newest */
async function refresh(
  { ledger }: Crew,
  ask: Ask,
  grant: Grant,
  client: Client,
  token: string,
): Promise<Issued | undefined> {
  const answer = await ask({
    kind: 'refresh at the end',
    gateway: 'a',
    path: '/oauth/token',
    form: { grant_type: 'refresh_token', refresh_token: token, ...client },
    allowed: [200, 400],
  })
  if (answer.status !== 200) return undefined
  const { access_token, refresh_token } = JSON.parse(answer.text)
  grant.refreshTokens.push(refresh_token)
  return ledger.issue(access_token, grant, answer)
}
