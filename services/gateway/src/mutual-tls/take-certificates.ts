import type { TLSSocket } from 'node:tls'
import type { App } from '@gatehouse/http/app'
import { longestChain } from '@gatehouse/kit/certificates/authorities'
import { longestCertificate } from '@gatehouse/kit/certificates/certificate'
import { Refusal } from '@gatehouse/kit/errors'
import { addressesIn } from '@gatehouse/kit/fetch/address-ranges'
import type { FastifyRequest } from 'fastify'
import {
  chainHeader,
  headersWith,
  type PresentedCertificate,
  readCertificateHeader,
} from './certificate-header.ts'
import { certificateOfConnection } from './certificate-of-connection.ts'
import type { MutualTlsServer } from './mutual-tls-server.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The certificate for which the caller has proved that they have its key; undefined where they showed none. */
    clientCertificate: PresentedCertificate | undefined
  }
}

/** The ways in which the gateway learns the certificates of clients. */
export type CertificateSources = {
  /** The server at OAUTH2_MTLS_PORT, if there is one. */
  mutualTls: Pick<MutualTlsServer, 'has'> | undefined
  /** The header of proxies, and their addresses as `addressesIn` reads them; undefined where certificates in headers do not count. */
  certificateHeader?: { name: string; proxies: readonly string[] } | undefined
}

/** Reads the certificates of callers in the routes of a scope, which is then at OAUTH2_MTLS_PORT, too. */
export function takeCertificates(scope: App, { mutualTls, certificateHeader }: CertificateSources): void {
  const header = certificateHeader && createHeaderReading(certificateHeader)
  scope.addHook('onRoute', (route) => {
    route.config = { mutualTls: true, ...route.config }
  })
  scope.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw
    try {
      const direct = mutualTls?.has(socket) ?? false
      const passedOn = header?.(request, direct)
      request.clientCertificate = bounded(direct ? certificateOfConnection(socket as TLSSocket) : passedOn)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}

/** @returns a function that reads the header of a request; `direct` where a proxy cannot have sent it */
function createHeaderReading({ name, proxies }: NonNullable<CertificateSources['certificateHeader']>) {
  const isProxy = addressesIn(proxies)
  const key = name.toLowerCase()
  const keys = new Set(headersWith(key))
  const refused = (fault: string) => new Refusal('invalid_request', `The header ${name} ${fault}.`)

  return ({ raw }: FastifyRequest, direct: boolean): PresentedCertificate | undefined => {
    const found = new Map<string, string>()
    for (let index = 0; index < raw.rawHeaders.length; index += 2) {
      const one = raw.rawHeaders[index]?.toLowerCase() ?? ''
      if (!keys.has(one)) continue
      // Overlooking it would let a caller find out which of the two a proxy leaves alone.
      if (direct || !isProxy(raw.socket.remoteAddress ?? ''))
        throw refused('counts only if a proxy in OAUTH2_CLIENT_CERTIFICATE_PROXIES sends it: remove it')
      if (found.has(one)) throw refused('is there twice: the proxy must replace it, not add to it')
      found.set(one, raw.rawHeaders[index + 1] ?? '')
    }
    const chain = found.get(chainHeader)
    const value = found.get(key)
    // Some proxies send an empty header for callers without a certificate.
    if (value === undefined || value.trim() === '') {
      if (chain !== undefined && chain.trim() !== '') throw refused('is missing beside Client-Cert-Chain')
      return undefined
    }
    const read = readCertificateHeader(key, value, chain)
    if ('fault' in read) throw refused(read.fault)
    return read
  }
}

/** @throws Refusal where a certificate is longer than the token service reads */
function bounded(presented: PresentedCertificate | undefined): PresentedCertificate | undefined {
  if (presented === undefined) return undefined
  const { certificate, chain } = presented
  const kept = chain.slice(0, longestChain)
  if ([certificate, ...kept].some(({ length }) => length > longestCertificate))
    throw new Refusal('invalid_request', `A certificate has more than ${longestCertificate} bytes.`)
  return { certificate, chain: kept }
}
