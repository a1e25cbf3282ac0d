import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { longestChain } from '@gatehouse/kit/certificates/authorities'
import type { PresentedCertificate } from './certificate-header.ts'

/** The certificates of connections. Node gives the chain of a connection only once. */
const read = new WeakMap<Socket, PresentedCertificate | null>()

/** The certificate with which the peer of an encrypted connection proved its key; undefined where it showed none. */
export function certificateOfConnection(socket: TLSSocket): PresentedCertificate | undefined {
  let found = read.get(socket)
  if (found === undefined) {
    const shown = socket.getPeerX509Certificate()
    found = shown ? { certificate: shown.raw, chain: issuersOf(shown) } : null
    read.set(socket, found)
  }
  return found ?? undefined
}

function issuersOf({ issuerCertificate: issuer }: X509Certificate): Buffer[] {
  const chain: Buffer[] = []
  for (let one = issuer; one !== undefined && chain.length < longestChain; one = one.issuerCertificate)
    chain.push(one.raw)
  return chain
}
