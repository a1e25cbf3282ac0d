import type { AuthenticationFailureReason } from '@gatehouse/proto/client-authentication'
import type { Proof } from '../assertions/proof.ts'
import type {
  Client,
  ClientAuthenticationDeps,
  Presented,
  PresentedCredentials,
} from '../client-authentication.ts'
import type { ReadCertificate } from '../client-certificates.ts'

/** A request that says to be from a client. */
export type ClaimedRequest = {
  /** The client that it names; undefined when there is none, which takes as long to find out as a wrong secret. */
  client: Client | undefined
  /** The reading of the credentials that names the client. */
  reading: PresentedCredentials
  /** Everything that it presents. */
  presented: Presented
  /** The certificate that it presents, where that is one. */
  certificate: ReadCertificate | undefined
}

/**
 * The judgement about a request: `named` where it proves nothing, since its client has nothing to prove; else why it is not from the
 * client.
 */
export type Judgement = Proven | 'named' | Exclude<AuthenticationFailureReason, 'disabled' | 'method_off'>

/** The client has proven who it is. */
export type Proven = {
  /** The SHA-256 of the secret that proved it, where a secret did. */
  secretDigest?: Uint8Array
  /** The thumbprint (RFC 7638) of the key that proved it, where a key did. */
  keyThumbprint?: Uint8Array
  /** The proof that it presented, which counts once and is not spent yet. */
  proof?: Proof
}

/** A method by which clients authenticate: the part of its definition in proto/client-authentication.ts that is not data. */
export type AuthenticationMethod = {
  /** Whether its clients present assertions. With one, no client of another method is judged by that method. */
  readonly readsAssertions?: true
  /** Judges a request of a client of this method. Neither the answer nor its time may tell whether the client exists. */
  judge(request: ClaimedRequest, deps: ClientAuthenticationDeps): Judgement | Promise<Judgement>
}
