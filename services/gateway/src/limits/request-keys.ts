import { hash } from 'node:crypto'
import { networkOf } from '@gatehouse/kit/network'
import type { FastifyRequest } from 'fastify'
import { presentedIn } from '../oauth/presented.ts'
import { provesByKey } from '../services/proves-by-key.ts'
import type { KnownCredentials } from './known-credentials.ts'

/** The key of requests that count by their address. */
export function networkKey({ network }: FastifyRequest): string {
  return `ip:${network}`
}

/** Longer than any address. A trusted proxy may pass on any text, of any length, as the address. */
const longestNetwork = 64

/** The network of an address, which may be any text. */
export function boundedNetwork(ipAddress: string | undefined): string {
  return networkOf(ipAddress ?? '').slice(0, longestNetwork)
}

/** The client whose credentials were sent, if they were valid a moment ago; else empty. */
export function knownClientOf(request: FastifyRequest, known: KnownCredentials): string {
  const { credentialsKey: key } = request
  // Those of an administrator are a token or a session.
  if (key === '' || !known.areKnown(key)) return ''
  return presentedIn(request).presented.credentials[0]?.clientId ?? ''
}

/**
 * Identifies the client that a request with an assertion names, verified or not; empty for every other request. A certificate does not count:
 * a public client may have one that proves nothing, such as that of a proxy, which anybody can send with its client_id.
 */
export function signerOf(request: FastifyRequest): string {
  const { presented, fault } = presentedIn(request)
  const clientId = presented.credentials[0]?.clientId ?? ''
  if (presented.assertion === undefined || fault !== undefined || clientId === '') return ''
  return `signer:${hash('sha256', clientId, 'base64url')}`
}

/** Whether a request has an assertion or a certificate in place of a secret, which anybody can make, and another one each time. */
export function showsKey(request: FastifyRequest): boolean {
  return provesByKey(presentedIn(request).presented)
}

/**
 * Identifies the presented credentials, valid or not: a caller who sends another client's client_id with a wrong secret has
 * a count of their own, and one who sends an assertion of another client, or any certificate, has it at their address only. A public client
 * has no credentials.
 */
export function credentialsKey(request: FastifyRequest): string {
  const { presented, fault } = presentedIn(request)
  const { token, credentials } = presented
  if (token !== undefined) return hash('sha256', token.token, 'base64url')
  const [first] = credentials
  // The route answers with what is wrong with them.
  if (fault !== undefined || first === undefined) return ''
  if (provesByKey(presented))
    return first.clientId === '' ? '' : hash('sha256', `${request.network}\0${first.clientId}\0`, 'base64url')
  if (first.clientSecret === '') return ''
  return hash('sha256', `${first.clientId}\0${first.clientSecret}`, 'base64url')
}
