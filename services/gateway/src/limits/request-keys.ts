import { hash } from 'node:crypto'
import { networkOf } from '@gatehouse/kit/network'
import type { Presented } from '@gatehouse/proto/token/v1'
import type { FastifyRequest } from 'fastify'
import { presentedIn } from '../oauth/presented.ts'
import type { KnownCredentials } from './known-credentials.ts'

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

/** Identifies the client that a request with an assertion names, verified or not; empty for every other request. */
export function signerOf(request: FastifyRequest): string {
  const { presented, fault } = presentedIn(request)
  const clientId = presented.credentials[0]?.clientId ?? ''
  if (presented.assertion === undefined || fault !== undefined || clientId === '') return ''
  return `signer:${hash('sha256', clientId, 'base64url')}`
}

/**
 * Identifies the presented credentials, valid or not: a caller who sends another client's client_id with a wrong secret has
 * a count of their own, and one who sends an assertion of another client has it at their address only. A public client has no credentials.
 */
export function credentialsKey(request: FastifyRequest): string {
  const { presented, fault } = presentedIn(request)
  const { token, credentials } = presented
  if (token !== undefined) return hash('sha256', token.token, 'base64url')
  const [first] = credentials
  // The route answers with what is wrong with them.
  if (fault !== undefined || first === undefined) return ''
  if (presented.assertion !== undefined)
    return first.clientId === '' ? '' : hash('sha256', `${request.network}\0${first.clientId}\0`, 'base64url')
  if (first.clientSecret === '') return presented.certificate ? certificateKey(presented) : ''
  return hash('sha256', `${first.clientId}\0${first.clientSecret}`, 'base64url')
}

/** Identifies a certificate together with the client that it is to be from. */
function certificateKey({ credentials: [first], certificate }: Presented): string {
  const digest = hash('sha256', certificate?.certificate ?? '', 'base64url')
  return hash('sha256', `${first?.clientId}\0certificate ${digest}`, 'base64url')
}

/**
 * The key by which a request of a client counts. Anybody can make certificates, as many as they like, also for a public client, which needs
 * none. So one counts by its address until it has come with a request of its client, and by the client from then on.
 */
export function budgetKey(request: FastifyRequest, known: KnownCredentials): string {
  const { credentialsKey: key } = request
  const { certificate, assertion, credentials } = presentedIn(request).presented
  if (key === '') return networkKey(request)
  if (certificate === undefined || assertion !== undefined || credentials[0]?.clientSecret !== '') return key
  return known.areKnown(key)
    ? hash('sha256', `${credentials[0].clientId}\0certificates`, 'base64url')
    : networkKey(request)
}
