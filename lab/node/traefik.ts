import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCertificateAuthority } from '@gatehouse/test/servers/certificates'
import { addressOf, kubectl, namespace } from './cluster.ts'
import { defineKinds } from './definitions.ts'
import type { Way } from './gateway.ts'

/** The namespace of Traefik and of its Gateway `public`. */
export const gateways = 'gateways'

/** The Secret with the certificate of the public host, in the namespaces of the release and of Traefik. */
export const certificate = 'certificate'

const manifest = join(import.meta.dirname, 'traefik/traefik.yaml')

/**
 * Starts Traefik, for Ingresses of the class `traefik` and for the Gateway `public`.
 * @param host the public host, for which it gets a certificate
 * @returns the ways to it: by https, and without
 */
export async function startTraefik(host: string): Promise<{ secure: Way; plain: Way }> {
  await defineKinds('gateway')
  await kubectl('-n', gateways, 'apply', '-f', manifest)
  const authority = await createCertificateAuthority('openssl')
  const files = await authority.issue([`DNS:${host}`])
  const pair = [`--cert=${files.OAUTH2_GRPC_TLS_CERT}`, `--key=${files.OAUTH2_GRPC_TLS_KEY}`]
  for (const within of [namespace, gateways])
    await kubectl('-n', within, 'create', 'secret', 'tls', certificate, ...pair)
  const ca = readFileSync(files.OAUTH2_GRPC_TLS_CA, 'utf8')
  await authority.remove()
  await kubectl('-n', gateways, 'rollout', 'status', 'deployment/traefik', '--timeout=60s')
  const address = await addressOf('traefik', gateways)
  return {
    secure: { host: address, port: 443, tls: { servername: host, ca } },
    plain: { host: address, port: 80 },
  }
}

/** Ends it, and forgets the certificate. */
export async function stopTraefik(): Promise<void> {
  await kubectl('delete', 'secret', certificate, '--ignore-not-found')
  await kubectl('-n', gateways, 'delete', '-f', manifest, '--ignore-not-found')
}
