import { algorithmsOfOthers } from '@gatehouse/proto/algorithms'
import { errors, type JSONWebKeySet } from 'jose'
import { createLocalJWKSet } from 'jose/jwks/local'
import { decodeJwt } from 'jose/jwt/decode'
import { jwtVerify } from 'jose/jwt/verify'
import type { CustomFetch } from 'openid-client'
import type { EndedUpstream } from './ended-upstream.ts'
import { textOf } from './settings.ts'
import { ProviderFailure } from './social-provider.ts'

/** Where the keys of a provider are, and for whom its tokens must be. */
type Expected = { issuer: string; clientId: string; keysAt: string }

const backchannelLogout = 'http://schemas.openid.net/event/backchannel-logout'
/** How far clocks may differ, in seconds. */
const skew = 120
/** In milliseconds: strangers may send tokens, and no more often are the keys read because of an unknown one. */
const keysEvery = 60_000
/** In milliseconds: how long keys are used. */
const keysLifetime = 3_600_000

/** Checks logout tokens of a provider (OpenID Connect Back-Channel Logout 1.0 section 2.6). It keeps the keys. */
export function createLogoutCheck(now: () => number) {
  let cached: { keys: JSONWebKeySet; readAt: number } | undefined
  let triedAt = Number.NEGATIVE_INFINITY

  async function readKeys(address: string, ask: CustomFetch): Promise<JSONWebKeySet> {
    if (now() - triedAt < keysEvery)
      throw new ProviderFailure('unreachable', 'its keys were asked for just now')
    triedAt = now()
    const response = await ask(address, { method: 'GET', headers: { accept: 'application/json' } } as never)
    const keys = response.status === 200 ? await response.json().catch(() => undefined) : undefined
    if (!Array.isArray(keys?.keys)) throw new ProviderFailure('bad answer', 'its keys are no JWK Set')
    cached = { keys, readAt: now() }
    return keys
  }

  /** @throws ProviderFailure for a token that is wrong, and where the keys cannot be read */
  return async (
    token: string,
    { issuer, clientId, keysAt }: Expected,
    ask: CustomFetch,
  ): Promise<EndedUpstream> => {
    // Before any request: a token for somebody else, or none at all, makes none.
    checkAddressee(token, issuer, clientId)
    const verify = async (keys: JSONWebKeySet) => {
      const options = {
        issuer,
        audience: clientId,
        algorithms: algorithmsOfOthers,
        clockTolerance: skew,
        currentDate: new Date(now()),
      }
      return (await jwtVerify(token, createLocalJWKSet(keys), options)).payload
    }
    try {
      const isFresh = cached !== undefined && now() - cached.readAt < keysLifetime
      const keys = cached !== undefined && isFresh ? cached.keys : await readKeys(keysAt, ask)
      const payload = await verify(keys).catch(async (error) => {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        return verify(await readKeys(keysAt, ask))
      })
      return endedBy(payload, issuer, now() / 1000)
    } catch (error) {
      if (error instanceof errors.JOSEError)
        throw new ProviderFailure('bad answer', `the token is refused: ${error.code}`)
      throw error
    }
  }
}

function checkAddressee(token: string, issuer: string, clientId: string): void {
  try {
    const { iss, aud } = decodeJwt(token)
    if (iss === issuer && [aud].flat().includes(clientId)) return
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error
  }
  throw new ProviderFailure('bad answer', 'the token is not of this provider for this client')
}

function endedBy(payload: Readonly<Record<string, unknown>>, issuer: string, now: number): EndedUpstream {
  const { iat, exp, events, nonce, sub, sid } = payload
  const wrong = (what: string) => new ProviderFailure('bad answer', `the ${what} of the token is wrong`)
  if (typeof iat !== 'number' || iat > now + skew) throw wrong('iat')
  // Some providers send no exp, which the specification demands.
  if (exp === undefined && iat < now - skew) throw wrong('iat')
  const event = (Object(events) as Record<string, unknown>)[backchannelLogout]
  if (typeof event !== 'object' || event === null || Array.isArray(event)) throw wrong('events')
  // So that no ID token passes for a logout token.
  if (nonce !== undefined) throw wrong('nonce')
  if (textOf(sid) !== '') return { upstreamSession: textOf(sid) }
  if (textOf(sub) !== '') return { issuer, subject: textOf(sub) }
  throw wrong('sub')
}
