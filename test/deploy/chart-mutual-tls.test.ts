import { describe, expect, test } from 'vitest'
import { helm, render } from './chart.ts'

const bundled = { postgresql: { enabled: true }, redis: { enabled: true } }
const ingress = { enabled: true, host: 'auth.example.com' }

describe.skipIf(!helm)('the gateway', () => {
  test('has a second port for clients with certificates, whose authorities the token service alone reads', async () => {
    const mutualTls = { enabled: true, secretName: 'mtls-example-com', port: 443 }
    const values = { gateway: { mutualTls }, token: { clientAuthorities: { configMapName: 'client-ca' } } }
    const release = await render({ ...bundled, ingress, ...values })
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
    const without = await render({ ...bundled, ingress })
    expect(without.text).not.toContain('mtls')
    expect(without.text).not.toContain('client-authorities')
  })
})
