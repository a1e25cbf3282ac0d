import { algorithmsOfOthers } from '@gatehouse/proto/algorithms'
import { errors, type JSONWebKeySet } from 'jose'
import { createLocalJWKSet } from 'jose/jwks/local'
import { decodeJwt } from 'jose/jwt/decode'
import { jwtVerify } from 'jose/jwt/verify'
import type { CustomFetch } from 'openid-client'
import type { EndedUpstream } from '../logins/ended-upstream.ts'
import { type ReadKeys, readKeys } from './provider-keys.ts'
import type { WaitForProvider } from './requests-under-way.ts'
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

/**
 * Checks logout tokens of a provider (OpenID Connect Back-Channel Logout 1.0 section 2.6). It keeps the keys.
 * @param now milliseconds since the Unix epoch
 * @param failuresKept how long it remembers that the keys could not be read, in milliseconds
 * @param wait limits how many tokens wait for the keys
 * @param ofLogins the keys that logins have read: after a rotation they may be newer, and no request is needed
 */
export function createLogoutCheck(
  now: () => number,
  failuresKept = 0,
  wait: WaitForProvider = (work) => work(),
  ofLogins: () => ReadKeys | undefined = () => undefined,
) {
  let cached: ReadKeys | undefined
  let failed: { failure: unknown; until: number } | undefined
  let loading: Promise<ReadKeys> | undefined

  async function load(address: string, ask: CustomFetch): Promise<ReadKeys> {
    try {
      const response = await ask(address, { method: 'GET', headers: { accept: 'application/json' } } as never)
      const set = readKeys(response.status === 200 ? await response.text() : undefined)
      cached = { set, readAt: now() }
      failed = undefined
      return cached
    } catch (failure) {
      failed = { failure, until: now() + failuresKept }
      throw failure
    }
  }

  /** Tokens that need the keys at the same time send one request together. */
  async function read(address: string, ask: CustomFetch): Promise<ReadKeys> {
    if (failed && now() < failed.until) throw failed.failure
    loading ??= load(address, ask).finally(() => {
      loading = undefined
    })
    return loading
  }

  /** @throws ProviderFailure for a token that is wrong, and where the keys cannot be read */
  return async (
    token: string,
    { issuer, clientId, keysAt }: Expected,
    ask: CustomFetch,
  ): Promise<EndedUpstream> => {
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
    const verifyByKnown = async () => {
      for (const keys of [cached, ofLogins()]) {
        if (keys === undefined || now() - keys.readAt >= keysLifetime) continue
        try {
          return await verify(keys.set)
        } catch (error) {
          if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        }
      }
      return undefined
    }
    const verifyByNew = async (former: ReadKeys | undefined) => {
      // Another token may have had them read meanwhile.
      if (cached !== former && cached !== undefined) return verify(cached.set)
      if (former !== undefined && now() - former.readAt < keysEvery)
        throw new ProviderFailure('unreachable', 'its keys were asked for just now')
      return verify((await wait(() => read(keysAt, ask))).set)
    }
    try {
      const former = cached
      const payload = (await verifyByKnown()) ?? (await verifyByNew(former))
      return endedBy(payload, issuer, now() / 1000)
    } catch (error) {
      if (error instanceof errors.JOSEError)
        throw new ProviderFailure('bad answer', `the token is refused: ${error.code}`)
      throw error
    }
  }
}

/**
 * Checks without the signature whether a token can be a provider's for a client: one for somebody else, or none at all, makes no request.
 * @throws ProviderFailure
 */
export function checkAddressee(token: string, issuer: string, clientId: string): void {
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
  const person = { issuer, subject: textOf(sub) }
  const isKnown = person.subject !== ''
  if (textOf(sid) !== '') return { upstreamSession: textOf(sid), ...(isKnown && person) }
  if (isKnown) return person
  throw wrong('sub')
}
