import { serviceSchemas } from '@gatehouse/local/service-schemas'
import { serviceNames } from '@gatehouse/local/services'
import { describe, expect, test } from 'vitest'
import paths from '../../deploy/helm/gatehouse/files/paths.json' with { type: 'json' }
import { gatewayAlone } from '../../tools/openapi-document.ts'
import { helm, production, render } from './chart.ts'

const bundled = { postgresql: { enabled: true }, redis: { enabled: true } }

describe.skipIf(!helm)('what goes out', () => {
  const to = (name: string) => [
    { ports: [{ port: name === 'web' ? 443 : 1 }], to: [{ ipBlock: { cidr: `10.0.0.${name.length}/32` } }] },
  ]
  const purposes = ['postgresql', 'redis', 'brokers', 'collector', 'mail', 'web', 'dns']
  const egress = { enabled: true, ...Object.fromEntries(purposes.map((name) => [name, to(name)])) }
  const policy = (release: Awaited<ReturnType<typeof render>>, name: string) =>
    release.find('NetworkPolicy', `auth-gatehouse-${name}`).spec

  test('is nothing but the callees, name servers and what a service is for', async () => {
    const release = await render({ ...production, networkPolicy: { egress } })
    const needs: Record<string, string[]> = {
      gateway: ['collector', 'redis'],
      token: ['collector', 'postgresql', 'web'],
      'client-registry': ['collector', 'postgresql', 'web'],
      identity: ['collector', 'mail', 'postgresql', 'web'],
      events: ['brokers', 'collector', 'postgresql', 'web'],
      migrate: ['postgresql'],
    }
    for (const [name, outside] of Object.entries(needs)) {
      const known = name === 'migrate' ? [] : Object.keys(serviceSchemas[name as 'token'].properties)
      const callees = serviceNames.filter((callee) =>
        known.includes(`OAUTH2_${callee.toUpperCase().replaceAll('-', '_')}_ADDR`),
      )
      const { policyTypes, egress: rules } = policy(release, name)
      expect(policyTypes).toEqual(['Ingress', 'Egress'])
      expect(new Set(rules), name).toEqual(
        new Set([
          ...to('dns'),
          ...callees.map((callee) => ({
            ports: [{ port: 'grpc' }],
            to: [
              {
                podSelector: {
                  matchLabels: release.find('Service', `auth-gatehouse-${callee}`).spec.selector,
                },
              },
            ],
          })),
          ...outside.flatMap(to),
        ]),
      )
    }
    expect(policy(release, 'migrate').podSelector.matchLabels).toMatchObject(
      release.kinds('Job')[0]?.spec.template.metadata.labels,
    )
  })

  test('leads to the bundled database and Redis without a word, and by default to no private address', async () => {
    const release = await render({ ...bundled, networkPolicy: { egress: { enabled: true } } })
    for (const [name, server] of [
      ['token', 'postgresql'],
      ['migrate', 'postgresql'],
      ['gateway', 'redis'],
    ] as const)
      expect(policy(release, name).egress).toContainEqual({
        ports: [{ port: server }],
        to: [
          { podSelector: { matchLabels: release.find('Service', `auth-gatehouse-${server}`).spec.selector } },
        ],
      })
    const web = policy(release, 'identity').egress.find(
      ({ ports }: { ports: { port: unknown }[] }) => ports[0]?.port === 443,
    )
    expect(JSON.stringify(web)).toContain('169.254.0.0/16')
  })

  test('is left alone by default', async () => {
    const policies = (await render(bundled)).kinds('NetworkPolicy')
    expect(policies.flatMap(({ spec }) => spec.policyTypes)).not.toContain('Egress')
    expect(policies.filter(({ metadata }) => metadata.name.endsWith('-migrate'))).toEqual([])
  })
})

describe.skipIf(!helm)('addresses', () => {
  test('of every Service are of the families of the values, or left to the cluster', async () => {
    const families = { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4'] }
    const metrics = { serviceMonitor: { enabled: true } }
    const release = await render({ ...bundled, ...families, metrics, listenAddress: '::' })
    const services = release.kinds('Service')
    expect(services).toHaveLength(8)
    for (const { spec } of services) expect(spec).toMatchObject(families)
    for (const { spec } of (await render(bundled)).kinds('Service'))
      for (const field of Object.keys(families)) expect(spec).not.toHaveProperty(field)
  })

  test('of the gateway’s Service are those that the load balancer is told', async () => {
    const fields = {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      loadBalancerClass: 'example.com/balancer',
      loadBalancerSourceRanges: ['192.0.2.0/24'],
      loadBalancerIP: '192.0.2.1',
      allocateLoadBalancerNodePorts: false,
      externalIPs: ['192.0.2.2'],
    }
    const about = { annotations: { a: 'b' }, labels: { c: 'd' } }
    const service = { ...fields, ...about, nodePort: 30_080 }
    const release = await render({ ...production, gateway: { service } })
    const { spec, metadata } = release.find('Service', 'auth-gatehouse-gateway')
    expect(spec).toMatchObject({ ...fields, ports: [{ port: 80, nodePort: 30_080 }] })
    expect(metadata).toMatchObject(about)
    const plain = (await render(production)).find('Service', 'auth-gatehouse-gateway')
    expect(Object.keys(plain.spec).sort()).toEqual(['ports', 'selector', 'type'])
    expect(plain.metadata).not.toHaveProperty('annotations')
  })
})

describe.skipIf(!helm)('paths that only some may see', () => {
  const privatePaths = ['/admin', '/metrics']
  const values = {
    ...bundled,
    privatePaths,
    ingress: {
      enabled: true,
      className: 'public',
      host: 'auth.example.com',
      tls: { secretName: 'auth-tls' },
      extraHosts: [{ host: 'login.example.com', secretName: 'login-tls' }],
      internal: { enabled: true, className: 'public', annotations: { whitelist: '10.0.0.0/8' } },
    },
    httpRoute: {
      enabled: true,
      hostnames: ['auth.example.com'],
      parentRefs: [{ name: 'public' }],
      internal: { enabled: true, parentRefs: [{ name: 'internal' }] },
    },
  }
  type Rule = { host: string; http: { paths: { path: string; pathType: string }[] } }
  const pathsOf = ({ spec }: { spec: { rules: Rule[] } }) =>
    spec.rules.map(({ host, http }) => [host, http.paths.map(({ path, pathType }) => `${pathType} ${path}`)])
  const matchesOf = ({
    spec,
  }: {
    spec: { rules: { matches: { path: { type: string; value: string } }[] }[] }
  }) => spec.rules.flatMap(({ matches }) => matches.map(({ path }) => `${path.type} ${path.value}`))
  const others = paths.filter((path) => path !== '/' && !privatePaths.includes(path))

  test('are in the second Ingress and HTTPRoute of the host, and the public ones have all others', async () => {
    const release = await render(values)
    const [open, inner] = ['', '-private'].map((end) =>
      release.find('Ingress', `auth-gatehouse-gateway${end}`),
    )
    const listed = ['Exact /', ...others.map((path) => `Prefix ${path}`)].sort()
    expect(pathsOf(open as never).map(([host, paths]) => [host, [...(paths as string[])].sort()])).toEqual([
      ['auth.example.com', listed],
      ['login.example.com', listed],
    ])
    expect(open?.spec.tls).toEqual([
      { hosts: ['auth.example.com'], secretName: 'auth-tls' },
      { hosts: ['login.example.com'], secretName: 'login-tls' },
    ])
    expect(pathsOf(inner as never)).toEqual([['auth.example.com', ['Prefix /admin', 'Prefix /metrics']]])
    expect(inner?.metadata.annotations).toEqual({ whitelist: '10.0.0.0/8' })
    const [route, innerRoute] = ['', '-private'].map((end) =>
      release.find('HTTPRoute', `auth-gatehouse-gateway${end}`),
    )
    expect(matchesOf(route as never).sort()).toEqual(
      ['Exact /', ...others.map((path) => `PathPrefix ${path}`)].sort(),
    )
    // The Gateway API allows a rule eight matches.
    for (const { matches } of route?.spec.rules ?? []) expect(matches.length).toBeLessThanOrEqual(8)
    expect(matchesOf(innerRoute as never)).toEqual(['PathPrefix /admin', 'PathPrefix /metrics'])
    expect(innerRoute?.spec).toMatchObject({
      parentRefs: [{ name: 'internal' }],
      hostnames: ['auth.example.com'],
    })
  })

  test('are beside all others where the host’s name leads to the second one inside', async () => {
    const internal = { enabled: true, className: 'internal', everything: true, tls: { enabled: false } }
    const release = await render({ ...values, ingress: { ...values.ingress, internal } })
    const { spec } = release.find('Ingress', 'auth-gatehouse-gateway-private')
    expect(pathsOf({ spec } as never)).toEqual([['auth.example.com', ['Prefix /']]])
    expect(spec).toMatchObject({ ingressClassName: 'internal' })
    expect(spec).not.toHaveProperty('tls')
  })

  test('are none by default: one rule leads everything to the gateway', async () => {
    const release = await render({ ...bundled, ingress: { enabled: true, host: 'auth.example.com' } })
    expect(pathsOf(release.kinds('Ingress')[0] as never)).toEqual([['auth.example.com', ['Prefix /']]])
    expect(release.kinds('Ingress')).toHaveLength(1)
    expect((await render(production)).kinds('HTTPRoute')).toHaveLength(1)
  })
})

test('the paths that an Ingress lists lead to every route of the gateway', async () => {
  const app = await gatewayAlone()
  for (const [url, path] of [
    ['/oauth/token', '/oauth'],
    ['/.well-known/openid-configuration', '/.well-known'],
    ['/docs/*', '/docs'],
    ['/admin', '/admin'],
    ['/metrics', '/metrics'],
    ['/openapi.json', '/openapi.json'],
  ] as const) {
    expect(paths, url).toContain(path)
    expect(app.hasRoute({ method: url === '/oauth/token' ? 'POST' : 'GET', url }), url).toBe(true)
  }
  for (const path of Object.keys(app.swagger().paths ?? {})) expect(paths).toContain(`/${path.split('/')[1]}`)
  await app.close()
})
