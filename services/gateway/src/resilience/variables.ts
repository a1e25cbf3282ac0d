import { Type } from '@gatehouse/proto/typebox'

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
      'Whether the gateway refuses early what it could not answer in time, with a circuit breaker and a bulkhead for each service, and back-pressure for all requests. The other OAUTH2_RESILIENCE_ variables apply only then.',
  }),
  OAUTH2_RESILIENCE_CALL_TIMEOUT_MS: milliseconds(
    3_000,
    100,
    5_000,
    'How long one call to a service may take before it fails.',
  ),
  OAUTH2_RESILIENCE_BREAKER_FAILURES: count(
    4,
    1,
    1_000,
    'After how many failed calls in a row the circuit of a service opens.',
  ),
  OAUTH2_RESILIENCE_BREAKER_OPEN_MS: milliseconds(
    2_000,
    100,
    60_000,
    'How long an open circuit refuses all calls before it lets probes through.',
  ),
  OAUTH2_RESILIENCE_BREAKER_PROBES: count(
    3,
    1,
    100,
    'How many probes must succeed before a half-open circuit closes. It lets no other calls through meanwhile.',
  ),
  OAUTH2_RESILIENCE_BULKHEAD_CALLS: count(
    32,
    1,
    10_000,
    'The largest number of calls to one service that may be under way.',
  ),
  OAUTH2_RESILIENCE_BULKHEAD_WAITING: count(
    64,
    0,
    10_000,
    'The largest number of calls to one service that may wait for others to finish.',
  ),
  OAUTH2_RESILIENCE_RETRY_PERCENT: count(
    10,
    0,
    100,
    'How many of 100 calls to one service may be repeated after a failure. Only calls that are safe to make twice are repeated.',
  ),
  OAUTH2_RESILIENCE_MAX_REQUESTS: count(
    1_000,
    1,
    100_000,
    'The largest number of requests at /oauth/token and /oauth/introspect that may be under way, and also of all other requests.',
  ),
  OAUTH2_RESILIENCE_MAX_WAITING: count(
    10_000,
    0,
    100_000,
    'The largest number of requests of each of those two kinds that may wait for others to finish. Any more are refused at once.',
  ),
  OAUTH2_RESILIENCE_MAX_WAIT_MS: milliseconds(
    250,
    10,
    2_000,
    'When a request has waited this long, it and new requests are refused: at most 500 a second, and all requests that have waited six times as long.',
  ),
  OAUTH2_RESILIENCE_MAX_EVENT_LOOP_DELAY_MS: milliseconds(
    100,
    10,
    5_000,
    'While the delay of the gateway’s event loop is longer than this, the gateway admits fewer requests.',
  ),
  OAUTH2_RESILIENCE_MAX_UNDER_WAY_MS: milliseconds(
    500,
    10,
    5_000,
    'While the requests under way at /oauth/token and /oauth/introspect would take longer than this at the current pace, the gateway admits fewer of them.',
  ),
}
