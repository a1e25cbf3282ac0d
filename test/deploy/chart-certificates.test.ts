import { X509Certificate } from 'node:crypto'
import { openCertificates } from '@gatehouse/kit/rpc/certificates'
import { createRpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { implement, startRpcServer } from '@gatehouse/kit/rpc/rpc-server'
import { Registry } from '@gatehouse/kit/telemetry/metrics'
import { serviceNames } from '@gatehouse/local/services'
import { TelemetryServiceService as telemetry } from '@gatehouse/proto/telemetry/v1'
import { describe, expect, test } from 'vitest'
import { decoded, helm, production, type Release, render, renderAgain, scratchFile } from './chart.ts'

const bundled = { postgresql: { enabled: true } }

describe.skipIf(!helm)('certificates', () => {
  test('that Helm makes are valid for servers and clients, under every name of the service', async () => {
    const release = await render({ ...bundled, clusterDomain: 'k8s.example' })
    const authority = new X509Certificate(decoded(release.find('Secret', 'auth-gatehouse-ca'), 'ca.crt'))
    expect(authority.ca).toBe(true)
    for (const name of serviceNames) {
      const secret = release.find('Secret', `auth-gatehouse-${name}-tls`)
      const certificate = new X509Certificate(decoded(secret, 'tls.crt'))
      expect(new X509Certificate(decoded(secret, 'ca.crt')).raw).toEqual(authority.raw)
      expect(certificate.verify(authority.publicKey)).toBe(true)
      expect(certificate.subjectAltName?.split(', ')).toEqual(
        ['', '.iam', '.iam.svc', '.iam.svc.k8s.example'].map((rest) => `DNS:auth-gatehouse-${name}${rest}`),
      )
      // TLS server and client authentication (RFC 5280 section 4.2.1.12).
      expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
      const days = (certificate.validToDate.getTime() - Date.now()) / 86_400_000
      expect(days).toBeGreaterThan(364)
    }
  })

  test('that Helm makes let the processes of a release call each other, and nobody else', async () => {
    const stopping: (() => unknown)[] = []
    const context = () => ({
      log: { info: () => undefined } as never,
      registry: new Registry(),
      onShutdown: (step: () => unknown) => void stopping.push(step),
    })
    const certificatesOf = (release: Release, service: string) => {
      const secret = release.find('Secret', `auth-gatehouse-${service}-tls`)
      const files = {
        OAUTH2_GRPC_TLS_CA: scratchFile(decoded(secret, 'ca.crt')),
        OAUTH2_GRPC_TLS_CERT: scratchFile(decoded(secret, 'tls.crt')),
        OAUTH2_GRPC_TLS_KEY: scratchFile(decoded(secret, 'tls.key')),
      }
      return openCertificates(files, context())
    }
    const release = await render(bundled)
    const credentials = (await certificatesOf(release, 'token'))?.server
    const answer = { text: 'reached', instance: '', generations: [], gateways: [] }
    const handlers = { getMetrics: async () => answer, noteGateway: async () => ({}) }
    const options = { host: '127.0.0.1', port: 0, actor: 'token', credentials, ...context() }
    const server = await startRpcServer([implement(telemetry, handlers)], options, () => undefined)
    const reach = async (caller: Release, serverName: string) => {
      const certificates = await certificatesOf(caller, 'gateway')
      const peer = { target: `127.0.0.1:${server.port}`, certificates, serverName }
      const client = createRpcClient(telemetry, peer, 1_500)
      const outcome = await client.getMetrics({}).catch(() => ({ text: 'refused' }))
      client.close()
      return outcome.text
    }
    try {
      expect(await reach(release, 'auth-gatehouse-token')).toBe('reached')
      expect(await reach(release, 'auth-gatehouse-identity')).toBe('refused')
      expect(await reach(await renderAgain(bundled), 'auth-gatehouse-token')).toBe('refused')
    } finally {
      await server.close(0)
      for (const step of stopping) await step()
    }
  })

  test('that cert-manager makes are valid in the same way', async () => {
    const release = await render({ ...production, tls: { mode: 'cert-manager' } })
    for (const name of serviceNames)
      expect(release.find('Certificate', `auth-gatehouse-${name}`).spec).toMatchObject({
        secretName: `auth-gatehouse-${name}-cert`,
        usages: expect.arrayContaining(['server auth', 'client auth']),
        dnsNames: ['', '.iam', '.iam.svc', '.iam.svc.cluster.local'].map(
          (rest) => `auth-gatehouse-${name}${rest}`,
        ),
        privateKey: { rotationPolicy: 'Always' },
        issuerRef: { name: 'auth-gatehouse-ca', kind: 'Issuer' },
      })
    expect(release.find('Issuer', 'auth-gatehouse-ca').spec.ca.secretName).toBe(
      release.find('Certificate', 'auth-gatehouse-ca').spec.secretName,
    )
    expect((await render(production)).kinds('Issuer')).toEqual([])
  })

  test('are mounted where the processes look for them, as a directory so that they can be renewed', async () => {
    const existingSecrets = { gateway: 'a', token: 'b', clientRegistry: 'c', identity: 'd', events: 'e' }
    const own = await render({ ...production, tls: { mode: 'existing', existingSecrets } })
    for (const release of [own, await render(bundled)]) {
      for (const [index, name] of serviceNames.entries()) {
        const { volumes } = release.find('Deployment', `auth-gatehouse-${name}`).spec.template.spec
        const [mount] = release.container(name).volumeMounts ?? []
        const environment = release.environment(name)
        expect(mount).toEqual({ name: 'tls', mountPath: '/etc/gatehouse/tls', readOnly: true })
        expect(environment).toMatchObject({
          OAUTH2_GRPC_TLS_CA: `${mount?.mountPath}/ca.crt`,
          OAUTH2_GRPC_TLS_CERT: `${mount?.mountPath}/tls.crt`,
          OAUTH2_GRPC_TLS_KEY: `${mount?.mountPath}/tls.key`,
        })
        const secretName = release === own ? 'abcde'[index] : `auth-gatehouse-${name}-tls`
        expect(volumes).toEqual([{ name: 'tls', secret: { secretName, defaultMode: 0o440 } }])
      }
    }
  })

  test('are absent when they are switched off, and the services accept plaintext', async () => {
    const release = await render({ ...bundled, tls: { mode: 'disabled' } })
    for (const name of serviceNames) {
      const environment = release.environment(name)
      expect(Object.keys(environment).filter((variable) => variable.includes('_TLS_'))).toEqual([])
      expect(environment.OAUTH2_GRPC_PLAINTEXT).toBe(name === 'gateway' ? undefined : 'true')
      expect(release.container(name)).not.toHaveProperty('volumeMounts')
    }
  })
})

const withDatabase = { postgresql: { enabled: true }, redis: { enabled: true } }
const ingress = { enabled: true, host: 'auth.example.com' }

describe.skipIf(!helm)('the gateway', () => {
  test('has a second port for clients with certificates, whose authorities the token service alone reads', async () => {
    const mutualTls = { enabled: true, secretName: 'mtls-example-com', port: 443 }
    const values = { gateway: { mutualTls }, token: { clientAuthorities: { configMapName: 'client-ca' } } }
    const release = await render({ ...withDatabase, ingress, ...values })
    expect(release.environment('gateway')).toMatchObject({
      OAUTH2_MTLS_PORT: '8443',
      OAUTH2_MTLS_CERT: '/etc/gatehouse/mtls/tls.crt',
      OAUTH2_MTLS_KEY: '/etc/gatehouse/mtls/tls.key',
    })
    expect(release.environment('gateway')).not.toHaveProperty('OAUTH2_CLIENT_CERTIFICATE_CA')
    expect(release.environment('token')).toMatchObject({
      OAUTH2_CLIENT_CERTIFICATE_CA: '/etc/gatehouse/client-authorities/ca.crt',
    })
    expect(release.environment('token')).not.toHaveProperty('OAUTH2_MTLS_PORT')
    const podOf = (name: string) => release.find('Deployment', `auth-gatehouse-${name}`).spec.template.spec
    const [gateway, token] = [podOf('gateway'), podOf('token')]
    expect(gateway.volumes).toContainEqual({
      name: 'mtls',
      secret: { secretName: 'mtls-example-com', defaultMode: 0o440 },
    })
    expect(gateway.containers[0].volumeMounts).toContainEqual({
      ...{ name: 'mtls', mountPath: '/etc/gatehouse/mtls', readOnly: true },
    })
    expect(gateway.containers[0].ports).toContainEqual({ name: 'mtls', containerPort: 8443 })
    expect(token.volumes).toContainEqual({ name: 'client-authorities', configMap: { name: 'client-ca' } })
    expect(token.containers[0].volumeMounts).toContainEqual({
      ...{ name: 'client-authorities', mountPath: '/etc/gatehouse/client-authorities', readOnly: true },
    })
    expect(release.find('Service', 'auth-gatehouse-gateway').spec.ports).toContainEqual({
      ...{ name: 'mtls', port: 443, targetPort: 'mtls' },
    })
    expect(release.find('NetworkPolicy', 'auth-gatehouse-gateway').spec.ingress).toContainEqual({
      ports: [{ port: 'http' }, { port: 'mtls' }],
    })
    const without = await render({ ...withDatabase, ingress })
    expect(without.text).not.toContain('mtls')
    expect(without.text).not.toContain('client-authorities')
  })
})
