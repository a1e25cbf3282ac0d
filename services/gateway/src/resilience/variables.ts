import { Type } from 'typebox'

function milliseconds(value: number, from: number, to: number, description: string) {
  return Type.Integer({
    default: value,
    minimum: from,
    maximum: to,
    rule: `a whole number of milliseconds from ${from} to ${to}`,
    description,
  })
}

function count(value: number, from: number, to: number, description: string) {
  return Type.Integer({
    default: value,
    minimum: from,
    maximum: to,
    rule: `a whole number from ${from} to ${to}`,
    description,
  })
}

/** The variables of the circuit breakers, bulkheads, retries and back-pressure. */
export const resilienceVariables = {
  OAUTH2_RESILIENCE_ENABLED: Type.Boolean({
    default: false,
    rule: 'true or false',
    description:
      'Whether the gateway refuses early what it could not answer in time: a circuit breaker and a bulkhead for each service, and back-pressure for all. The other OAUTH2_RESILIENCE_ variables count only then.',
  }),
  OAUTH2_RESILIENCE_CALL_TIMEOUT_MS: milliseconds(
    3_000,
    100,
    5_000,
    'How long one call to a service may take. A longer one has failed.',
  ),
  OAUTH2_RESILIENCE_BREAKER_FAILURES: count(
    4,
    1,
    1_000,
    'How many calls to a service fail in a row before its circuit opens.',
  ),
  OAUTH2_RESILIENCE_BREAKER_OPEN_MS: milliseconds(
    2_000,
    100,
    60_000,
    'How long an open circuit refuses everything before it lets probes in.',
  ),
  OAUTH2_RESILIENCE_BREAKER_PROBES: count(
    3,
    1,
    100,
    'How many calls must succeed before a half-open circuit closes; no other call is let in meanwhile.',
  ),
  OAUTH2_RESILIENCE_BULKHEAD_CALLS: count(
    32,
    1,
    10_000,
    'How many calls to one service are under way at the most.',
  ),
  OAUTH2_RESILIENCE_BULKHEAD_WAITING: count(
    64,
    0,
    10_000,
    'How many calls to one service wait at the most for others to end.',
  ),
  OAUTH2_RESILIENCE_RETRY_PERCENT: count(
    10,
    0,
    100,
    'How many of 100 calls to one service may be made again when they failed; only those are that do no harm when they are done twice.',
  ),
  OAUTH2_RESILIENCE_MAX_REQUESTS: count(
    1_000,
    1,
    100_000,
    'How many requests at /oauth/token and /oauth/introspect the gateway works on at the most, and how many others.',
  ),
  OAUTH2_RESILIENCE_MAX_WAITING: count(
    10_000,
    0,
    100_000,
    'How many requests of each of those two kinds wait at the most for others to end. One more is refused at once.',
  ),
  OAUTH2_RESILIENCE_MAX_WAIT_MS: milliseconds(
    250,
    10,
    2_000,
    'When a request has waited so long it is refused, and so are new ones; at most 500 a second, and all that have waited six times as long.',
  ),
  OAUTH2_RESILIENCE_MAX_EVENT_LOOP_DELAY_MS: milliseconds(
    100,
    10,
    5_000,
    'While the gateway’s event loop is later than this, fewer requests are let in.',
  ),
  OAUTH2_RESILIENCE_MAX_UNDER_WAY_MS: milliseconds(
    500,
    10,
    5_000,
    'While the requests under way at /oauth/token and /oauth/introspect would need longer than this at the pace of the moment, fewer of them are let in.',
  ),
}
