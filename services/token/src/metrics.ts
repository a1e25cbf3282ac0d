import { Counter, Gauge, metricPrefix, type Registry } from '@gatehouse/kit/metrics'

/** What the token service counts. */
export type TokenMetrics = {
  issued(grantType: string, count: number): void
  revoked(): void
  codeIssued(): void
  /** A refresh token was used again while that still gives the same successor. */
  repeatedRefresh(): void
  /** Of a client; failed users are counted by the identity service. */
  authenticationFailed(): void
  /** Says how many tokens are active; undefined where another replica says it. */
  setActive(count: number | undefined): void
  /**
   * Told each time when the signing keys were read.
   * @param activeSince when the active one was made
   */
  signingKeysRead(activeSince: Date | undefined): void
}

/** The token service's own metrics. */
export function tokenMetrics(registry: Registry, grantTypes: readonly string[]): TokenMetrics {
  const registers = [registry]
  const issued = new Counter({
    name: `${metricPrefix}oauth_token_issued_total`,
    help: 'Access tokens issued.',
    labelNames: ['grant_type'],
    registers,
  })
  // From the first scrape on: a rate over a series that appears with its first token would miss that token.
  for (const grantType of grantTypes) issued.inc({ grant_type: grantType }, 0)
  const revoked = new Counter({
    name: `${metricPrefix}oauth_token_revoked_total`,
    help: 'Tokens revoked one by one.',
    registers,
  })
  const failed = new Counter({
    name: `${metricPrefix}oauth_failed_authentications_total`,
    help: 'Authentications that failed.',
    labelNames: ['kind'],
    registers,
  })
  failed.inc({ kind: 'client' }, 0)
  const codes = new Counter({
    name: `${metricPrefix}oauth_authorization_codes_issued_total`,
    help: 'Authorization codes issued.',
    registers,
  })
  const repeated = new Counter({
    name: `${metricPrefix}oauth_refresh_token_repeated_total`,
    help: 'Refresh tokens used again within the time in which that gives the same successor.',
    registers,
  })
  const active = new Gauge({
    name: `${metricPrefix}oauth_active_tokens`,
    help: 'Access tokens that are neither over nor revoked; told by one replica.',
    registers,
  })
  active.remove()
  const keyMade = new Gauge({
    name: `${metricPrefix}signing_key_created_timestamp_seconds`,
    help: 'When the key that signs access tokens was made: seconds since the Unix epoch.',
    registers,
  })
  keyMade.remove()
  const keysRead = new Gauge({
    name: `${metricPrefix}signing_keys_read_timestamp_seconds`,
    help: 'When this process last read the signing keys; after 10 s without it issues no tokens.',
    registers,
  })
  return {
    issued: (grantType, count) => issued.inc({ grant_type: grantType }, count),
    revoked: () => revoked.inc(),
    codeIssued: () => codes.inc(),
    repeatedRefresh: () => repeated.inc(),
    authenticationFailed: () => failed.inc({ kind: 'client' }),
    setActive: (count) => (count === undefined ? active.remove() : active.set(count)),
    signingKeysRead(activeSince) {
      if (activeSince) keyMade.set(activeSince.getTime() / 1000)
      else keyMade.remove()
      keysRead.setToCurrentTime()
    },
  }
}
