import { Counter, Gauge, metricPrefix, type Registry } from '@gatehouse/kit/telemetry/metrics'
import { type LogoutOutcome, logoutOutcomes } from './openid/backchannel-logout.ts'

/** The token service's counters. */
export type TokenMetrics = {
  issued(grantType: string, count: number): void
  idTokenIssued(): void
  revoked(): void
  codeIssued(): void
  /** Counts a refresh token that was used again while that still gives the same successor. */
  repeatedRefresh(): void
  /** Counts a failed client authentication. The identity service counts those of users. */
  authenticationFailed(): void
  /** Counts failed client authentications that are missing in the list of them. */
  failuresLeftOut(count: number): void
  /** Sets the number of active tokens; undefined when another replica reports it. */
  setActive(count: number | undefined): void
  /** Counts an attempt to tell a client that a session ended. */
  backchannelLogout(outcome: LogoutOutcome): void
  /** Records that the signing keys were read, with those that this process can use. */
  signingKeysRead(keys: readonly ReadKey[]): void
}

/** The part of a signing key that the metrics show. */
export type ReadKey = { algorithm: string; state: 'staged' | 'active' | 'retiring'; createdAt: Date }

/**
 * The token service's own metrics.
 * @param algorithms those that sign tokens
 */
export function tokenMetrics(
  registry: Registry,
  { grantTypes, algorithms }: { grantTypes: readonly string[]; algorithms: readonly string[] },
): TokenMetrics {
  const registers = [registry]
  const issued = new Counter({
    name: `${metricPrefix}oauth_token_issued_total`,
    help: 'Access tokens issued.',
    labelNames: ['grant_type'],
    registers,
  })
  // Every series exists from the first scrape on: a rate over one that appears with its first token would miss that token.
  for (const grantType of grantTypes) issued.inc({ grant_type: grantType }, 0)
  const idTokens = new Counter({
    name: `${metricPrefix}oauth_id_tokens_issued_total`,
    help: 'ID tokens issued.',
    registers,
  })
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
  const leftOut = new Counter({
    name: `${metricPrefix}client_authentication_failures_left_out_total`,
    help: 'Failed client authentications that are not in the list of them, because too many failed at once.',
    registers,
  })
  const codes = new Counter({
    name: `${metricPrefix}oauth_authorization_codes_issued_total`,
    help: 'Authorization codes issued.',
    registers,
  })
  const repeated = new Counter({
    name: `${metricPrefix}oauth_refresh_token_repeated_total`,
    help: 'Refresh tokens used again while that still gave the same successor.',
    registers,
  })
  const logouts = new Counter({
    name: `${metricPrefix}backchannel_logouts_total`,
    help: 'Attempts to tell a client that a session ended, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of logoutOutcomes) logouts.inc({ outcome }, 0)
  const active = new Gauge({
    name: `${metricPrefix}oauth_active_tokens`,
    help: 'Access tokens that are neither expired nor revoked; reported by one replica.',
    registers,
  })
  active.remove()
  return {
    issued: (grantType, count) => issued.inc({ grant_type: grantType }, count),
    idTokenIssued: () => idTokens.inc(),
    revoked: () => revoked.inc(),
    codeIssued: () => codes.inc(),
    repeatedRefresh: () => repeated.inc(),
    authenticationFailed: () => failed.inc({ kind: 'client' }),
    failuresLeftOut: (count) => leftOut.inc(count),
    backchannelLogout: (outcome) => logouts.inc({ outcome }),
    setActive: (count) => (count === undefined ? active.remove() : active.set(count)),
    signingKeysRead: keyMetrics(registry, algorithms),
  }
}

function keyMetrics(registry: Registry, algorithms: readonly string[]): TokenMetrics['signingKeysRead'] {
  const gauge = (name: string, help: string, labelNames: string[]) =>
    new Gauge({ name: `${metricPrefix}${name}`, help, labelNames, registers: [registry] })
  const isActive = gauge(
    'signing_key_active',
    'Whether the algorithm has a key that signs, and this process can use it: 1 or 0.',
    ['algorithm'],
  )
  const created = gauge(
    'signing_key_created_timestamp_seconds',
    'When the key that signs was created: seconds since the Unix epoch.',
    ['algorithm'],
  )
  const staged = gauge(
    'signing_key_staged_timestamp_seconds',
    'When the key that is published and does not sign yet was created: seconds since the Unix epoch.',
    ['algorithm'],
  )
  const read = gauge(
    'signing_keys_read_timestamp_seconds',
    'When this process last read the signing keys. It issues no tokens when that is more than 10 s ago.',
    [],
  )
  return (keys) => {
    for (const algorithm of algorithms) {
      const find = (state: ReadKey['state']) =>
        keys.find((key) => key.algorithm === algorithm && key.state === state)
      isActive.set({ algorithm }, find('active') ? 1 : 0)
      for (const [metric, key] of [
        [created, find('active')],
        [staged, find('staged')],
      ] as const) {
        if (key) metric.set({ algorithm }, key.createdAt.getTime() / 1000)
        else metric.remove({ algorithm })
      }
    }
    read.setToCurrentTime()
  }
}
