import { describe, expect, test } from 'vitest'
import { expectRefused, helm, production, template } from './chart.ts'

const bundled = { postgresql: { enabled: true } }
const database = { OAUTH2_DATABASE_URL: 'postgresql://gatehouse@db/gatehouse' }

/** A message about values that are not as their schema says. Releases of Helm differ in the words. */
function inOneLine(...words: string[]): RegExp {
  return new RegExp(words.join('.*'))
}

/** Invalid values, and the error message for each. */
const wrong: [what: string, values: object, message: string | RegExp][] = [
  ['no database', {}, 'secrets.OAUTH2_DATABASE_URL is missing: give the address of a PostgreSQL'],
  ['two databases', { ...bundled, secrets: database }, 'there are two databases'],
  [
    'two Redis',
    { ...bundled, redis: { enabled: true }, secrets: { OAUTH2_REDIS_URL: 'redis://redis' } },
    'there are two Redis',
  ],
  ['secrets in two places', { existingSecret: 'mine', secrets: database }, 'secrets are given in two places'],
  [
    'a secret under config',
    { ...bundled, config: { OAUTH2_JWT_SECRET: 'x'.repeat(32) } },
    'config.OAUTH2_JWT_SECRET is secret: put it under secrets, secretRefs or secretFiles, or into existingSecret',
  ],
  [
    'a variable that the chart sets',
    { ...bundled, config: { OAUTH2_GRPC_PORT: 1 } },
    'config.OAUTH2_GRPC_PORT is set by the chart',
  ],
  [
    'a variable that another value sets',
    { ...bundled, config: { OAUTH2_SERVER_TRUST_PROXY_HEADERS: '2' } },
    'config.OAUTH2_SERVER_TRUST_PROXY_HEADERS is set by the chart: use trustedProxies',
  ],
  [
    'a secret that is too short',
    { ...bundled, secrets: { OAUTH2_SESSION_KEY: 'short' } },
    'secrets.OAUTH2_SESSION_KEY must have at least 32 bytes; it has 5',
  ],
  [
    'a next secret that is too short',
    { ...bundled, secrets: { OAUTH2_JWT_SECRET_NEXT: 'short' } },
    'secrets.OAUTH2_JWT_SECRET_NEXT must have at least 32 bytes; it has 5',
  ],
  [
    'a next secret that is the current one',
    { ...bundled, secrets: { OAUTH2_FACTOR_KEY: 'f'.repeat(32), OAUTH2_FACTOR_KEY_NEXT: 'f'.repeat(32) } },
    'secrets.OAUTH2_FACTOR_KEY_NEXT must be another secret than OAUTH2_FACTOR_KEY',
  ],
  [
    'an unknown variable',
    { ...bundled, config: { OAUTH2_REFRESH_TOKENS: true } },
    inOneLine('config', 'OAUTH2_REFRESH_TOKENS', 'not allowed'),
  ],
  [
    'an unknown secret',
    { secrets: { ...database, LOG_LEVEL: 'info' } },
    inOneLine('secrets', 'LOG_LEVEL', 'not allowed'),
  ],
  [
    'a text for a number',
    { ...bundled, config: { OAUTH2_ACCESS_TOKEN_TTL: '1h' } },
    inOneLine('config', 'OAUTH2_ACCESS_TOKEN_TTL', 'integer'),
  ],
  [
    'a number that is too great',
    { ...bundled, config: { OAUTH2_ACCESS_TOKEN_TTL: 604_801 } },
    /config.OAUTH2_ACCESS_TOKEN_TTL.*604,?800/,
  ],
  [
    'a word that is none of those',
    { ...bundled, config: { OAUTH2_REGISTRATION: 'invite' } },
    inOneLine('must be one of', 'open', 'token', 'closed'),
  ],
  [
    'the address of another database',
    { secrets: { OAUTH2_DATABASE_URL: 'mysql://db' } },
    inOneLine('secrets', 'OAUTH2_DATABASE_URL'),
  ],
  [
    'an unknown value',
    { ...bundled, replicas: 3 },
    inOneLine('dditional propert', 'replicas', 'not allowed'),
  ],
  [
    'an unknown value of a service',
    { ...bundled, token: { replicaCount: 3 } },
    inOneLine('token', 'replicaCount', 'not allowed'),
  ],
  [
    'a base URL with a path',
    { ...bundled, publicBaseUrl: 'https://a.example/x' },
    inOneLine('publicBaseUrl'),
  ],
  [
    'an Ingress without host',
    { ...bundled, ingress: { enabled: true } },
    'ingress.host is missing: which host leads to the gateway?',
  ],
  [
    'an HTTPRoute of no Gateway',
    { ...production, httpRoute: { enabled: true, hostnames: ['a.example'], parentRefs: [] } },
    'httpRoute.parentRefs is missing',
  ],
  [
    'certificates that are not named',
    { ...production, tls: { mode: 'existing', existingSecrets: { gateway: 'a' } } },
    /tls\.existingSecrets\.clientRegistry is missing(.|\n)*tls\.existingSecrets\.token is missing/,
  ],
  ['a mode of TLS that there is not', { ...bundled, tls: { mode: 'mtls' } }, inOneLine('tls', 'mode')],
  [
    'certificates that end before they are renewed',
    { ...bundled, tls: { generated: { validityDays: 30, renewAfterDays: 30 } } },
    'tls.generated.validityDays must be more than tls.generated.renewAfterDays',
  ],
  [
    'too little time to end',
    { ...bundled, token: { preStopSleepSeconds: 50 } },
    'token.terminationGracePeriodSeconds must be at least preStopSleepSeconds + 12',
  ],
  [
    'more pods at least than at most',
    { ...bundled, identity: { autoscaling: { minReplicas: 20 } } },
    'identity.autoscaling.minReplicas is greater than its maxReplicas',
  ],
  [
    'a gateway that scales by what it does not count',
    {
      ...bundled,
      config: { OAUTH2_RESILIENCE_ENABLED: false },
      gateway: { autoscaling: { enabled: true, requestsInFlight: 50 } },
    },
    'gateway.autoscaling.requestsInFlight needs config.OAUTH2_RESILIENCE_ENABLED=true',
  ],
  [
    'a password that a URL would need to escape',
    { postgresql: { enabled: true, password: 'a@b' } },
    inOneLine('postgresql', 'password'),
  ],
  [
    'global values that nobody reads',
    { ...bundled, global: { storageClass: 'fast' } },
    'global.storageClass has no effect: of global this chart reads imageRegistry and imagePullSecrets',
  ],
  [
    'a label by which pods are found',
    { ...bundled, commonLabels: { 'app.kubernetes.io/name': 'mine' } },
    'commonLabels.app.kubernetes.io/name is set by the chart',
  ],
  [
    'such a label of one service’s pods',
    { ...bundled, token: { podLabels: { 'app.kubernetes.io/component': 'mine' } } },
    'token.podLabels.app.kubernetes.io/component is set by the chart',
  ],
  [
    'bundled servers on OpenShift',
    { ...bundled, openshift: true },
    'postgresql.enabled and redis.enabled do not go with openshift',
  ],
  [
    'a budget that keeps every node',
    { ...bundled, token: { podDisruptionBudget: { minAvailable: 2 } } },
    'token.podDisruptionBudget.minAvailable must be less than the 2 pods that there may be',
  ],
  [
    'a strategy that replaces nothing',
    { ...bundled, events: { strategy: { rollingUpdate: { maxSurge: '0%' } } } },
    'events.strategy allows neither a pod more nor one less',
  ],
  [
    'making the account that every namespace has',
    { ...bundled, defaults: { serviceAccount: { name: 'default' } } },
    "token.serviceAccount.name=default is the namespace's own: set serviceAccount.create=false",
  ],
  ['a digest that is none', { ...bundled, image: { digest: 'latest' } }, inOneLine('digest')],
]

describe.skipIf(!helm)('Helm refuses', () => {
  test.each(wrong)('%s', (_, values, message) => expectRefused(values, message))

  test('all errors at once', async () => {
    const { stderr } = await template({
      config: { OAUTH2_GRPC_PORT: 1, NODE_ENV: 'production' },
      ingress: { enabled: true },
    })
    for (const name of ['config.OAUTH2_GRPC_PORT', 'config.NODE_ENV', 'ingress.host', 'OAUTH2_DATABASE_URL'])
      expect(stderr).toContain(name)
  })
})
