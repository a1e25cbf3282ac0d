import { randomUUID } from 'node:crypto'
import { addressRule } from '@gatehouse/kit/fetch/address-rule'
import { createFetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import type { ProcessContext } from '@gatehouse/kit/process/process'
import { repeat } from '@gatehouse/kit/time/repeat'
import { idTokenAlgorithms, type KeyPairAlgorithm } from '@gatehouse/proto/algorithms'
import type { TokenConfig } from '../config.ts'
import { createJwtSigner, type OtherJwtType } from '../keys/jwt.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import { type BackchannelLogoutDeps, createBackchannelLogouts } from './backchannel-logout.ts'
import { createIdTokenReader } from './id-token.ts'
import type { FindProfile } from './user-claims.ts'

/** Creates the needs of OpenID Connect; undefined where it is off. */
export function createOpenid(config: TokenConfig, keys: SigningKeys, findProfile: FindProfile) {
  if (!config.OAUTH2_OPENID_ENABLED) return undefined
  const { signJwt, verifyJwt, namesUnknownKey } = createJwtSigner(keys)
  const sign = (type: OtherJwtType) => (algorithm: KeyPairAlgorithm, claims: object) =>
    signJwt({ algorithm, type, claims })
  const verifyIdToken = (idToken: string) => verifyJwt(idToken, { type: 'JWT' })
  return {
    findProfile,
    readIdToken: createIdTokenReader(verifyIdToken, config.OAUTH2_SERVER_PUBLIC_BASE_URL),
    isOfUnknownKey: (idToken: string) => namesUnknownKey(idToken, { type: 'JWT' }),
    algorithms: idTokenAlgorithms(config),
    signIdToken: sign('JWT'),
    signLogoutToken: sign('logout+jwt'),
  }
}

/** In milliseconds. */
const tellEvery = 1_000

/** Tells clients of sessions that ended, as long as the process runs. */
export function startLogouts(
  context: ProcessContext<TokenConfig>,
  deps: Pick<BackchannelLogoutDeps, 'store' | 'findClient' | 'algorithms' | 'signLogoutToken' | 'counted'>,
): void {
  const { config, log } = context
  const fetcher = createFetcher({ rule: addressRule(config.OAUTH2_FETCH_ALLOWED_NETWORKS) })
  const logouts = createBackchannelLogouts({
    ...deps,
    fetcher,
    issuer: config.OAUTH2_SERVER_PUBLIC_BASE_URL,
    now: Date.now,
    randomUuid: randomUUID,
    log,
  })
  context.onShutdown(async () => {
    fetcher.close()
    await logouts.settled()
  })
  repeat(context, 'telling clients of logouts', tellEvery, logouts.begin)
}
