import { describe, test } from 'vitest'
import { expectRefused, helm, production } from './chart.ts'

const bundled = { postgresql: { enabled: true } }
const ingress = { enabled: true, host: 'auth.example.com' }

/** Values that contradict each other about who reaches whom, and the error message for each. */
const wrong: [what: string, values: object, message: string | RegExp][] = [
  [
    'a load balancer at localhost',
    { ...bundled, gateway: { service: { type: 'LoadBalancer' } } },
    'publicBaseUrl is http://localhost:8080, but with gateway.service.type=LoadBalancer others come: give the address',
  ],
  [
    'an Ingress at localhost',
    { ...bundled, publicBaseUrl: 'http://localhost:8080', ingress },
    'publicBaseUrl is http://localhost:8080, but with ingress.enabled others come',
  ],
  [
    'https of the gateway at an address with http',
    { ...bundled, publicBaseUrl: 'http://auth.example.com', gateway: { tls: { secretName: 'a' } } },
    'publicBaseUrl is http://auth.example.com, but with gateway.tls.secretName the gateway speaks https',
  ],
  [
    'a port for clients with certificates without a certificate of the gateway',
    { ...bundled, gateway: { mutualTls: { enabled: true } } },
    'gateway.mutualTls.secretName is missing: the gateway needs a certificate',
  ],
  [
    'a host with a port',
    { ...bundled, ingress: { ...ingress, host: 'auth.example.com:8443' } },
    'the host auth.example.com:8443 of the ingress is no name: without scheme, port and path',
  ],
  [
    'a further host with a scheme',
    { ...bundled, ingress: { ...ingress, extraHosts: [{ host: 'https://a.example' }] } },
    'the host https://a.example of the ingress is no name',
  ],
  [
    'a route’s host with a port',
    { ...production, httpRoute: { ...production.httpRoute, hostnames: ['a.example:1'] } },
    'the host a.example:1 of the httpRoute is no name',
  ],
  [
    'an issuer of many names',
    { ...bundled, ingress: { ...ingress, host: '*.example.com' } },
    'ingress.host must be one name',
  ],
  [
    'fields of a load balancer without one',
    { ...bundled, gateway: { service: { loadBalancerSourceRanges: ['192.0.2.0/24'] } } },
    'gateway.service.loadBalancerSourceRanges has no effect with type ClusterIP: it is for LoadBalancer',
  ],
  [
    'a policy for traffic from outside that does not come',
    { ...bundled, gateway: { service: { externalTrafficPolicy: 'Local' } } },
    'gateway.service.externalTrafficPolicy has no effect with type ClusterIP',
  ],
  [
    'addresses at which nothing listens',
    { ...bundled, ipFamilyPolicy: 'PreferDualStack' },
    'listenAddress must be :: where Services have IPv6 addresses',
  ],
  [
    'two families with one stack',
    { ...bundled, listenAddress: '::', ipFamilies: ['IPv6', 'IPv4'] },
    'ipFamilies names two families: set ipFamilyPolicy',
  ],
  [
    'private paths that there are not',
    { ...bundled, ingress, privatePaths: ['/admin', '/'] },
    "privatePaths: / is none of the gateway's paths: /.well-known, /account, /admin,",
  ],
  [
    'a second Ingress for nothing',
    { ...bundled, ingress: { ...ingress, internal: { enabled: true, className: 'inner' } } },
    'ingress.internal has nothing of its own: name the paths',
  ],
  [
    'a second Ingress that lets everybody in',
    { ...bundled, privatePaths: ['/admin'], ingress: { ...ingress, internal: { enabled: true } } },
    'ingress.internal lets everybody in',
  ],
  [
    'two Ingresses of all paths at one controller',
    {
      ...bundled,
      privatePaths: ['/admin'],
      ingress: { ...ingress, internal: { enabled: true, everything: true } },
    },
    'ingress.internal.everything needs an ingress.internal.className of its own',
  ],
  [
    'a second route at the same Gateway',
    {
      ...production,
      privatePaths: ['/admin'],
      httpRoute: {
        ...production.httpRoute,
        internal: { enabled: true, parentRefs: production.httpRoute.parentRefs },
      },
    },
    'httpRoute.internal lets everybody in',
  ],
  [
    'a second route at no Gateway',
    {
      ...production,
      privatePaths: ['/admin'],
      httpRoute: { ...production.httpRoute, internal: { enabled: true } },
    },
    'httpRoute.internal.parentRefs is missing',
  ],
  [
    'policies that are off and on',
    { ...bundled, networkPolicy: { enabled: false, egress: { enabled: true } } },
    'networkPolicy.egress.enabled has no effect with networkPolicy.enabled=false',
  ],
  [
    'a database that no policy lets the services reach',
    {
      ...production,
      networkPolicy: { egress: { enabled: true } },
      otel: { endpoint: 'http://collector:4318' },
    },
    /egress\.collector is missing(.|\n)*egress\.postgresql is missing/,
  ],
]

describe.skipIf(!helm)('Helm refuses', () => {
  test.each(wrong)('%s', (_, values, message) => expectRefused(values, message))
})
