import type { Caller } from '@gatehouse/kit/actor'
import type { PublicUser } from '../users/user.ts'
import type { StoredAttributes } from '../users/user-attributes.ts'
import type { LoginConnection } from './login-connection.ts'
import type { Mapped } from './mapping.ts'
import type { UpstreamPerson } from './upstream-person.ts'

/** A person who comes from the provider of a connection. */
export type Arrival = {
  connection: LoginConnection
  person: Pick<UpstreamPerson, 'issuer' | 'subject' | 'displayName'>
  /** Those that the provider vouches for. */
  attributes: StoredAttributes
  /** The address that the provider has verified, and its domain; undefined for none. */
  address: { email: string; domain: string | undefined } | undefined
  mapped: Mapped
  caller: Caller
}

/** A user to create for somebody. */
export type NewUser = { id: string; username: string; reservation: string }

/** Why somebody does not get in. */
export type ArrivalProblem =
  | 'disabled'
  | 'no connection'
  | 'not invited'
  | 'has account'
  | 'no member'
  | 'linked to other'
  | 'session'
  | 'full'

/** The result of an arrival. `stranger`: a user may be created. `changed`: the connection was meanwhile, so it must be judged anew. */
export type Arrived =
  | { outcome: 'in'; user: PublicUser; revocationIds: readonly bigint[] }
  | { outcome: 'stranger' | 'changed' }
  | { outcome: ArrivalProblem }

/** The result that a login would have, found without storing anything. */
export type Preview = {
  problem: ArrivalProblem | undefined
  /** The one who would be logged in; undefined if a user would be created. */
  username: string | undefined
  /** The groups of the mapping that exist. */
  groups: readonly string[]
  /** Why rules give nothing. */
  remarks: readonly string[]
}

/**
 * Stores who somebody is, in one transaction with what the mapping gives and takes. It judges the connection, the organization and the
 * membership while they are locked.
 */
export type ArrivalStore = {
  /** Finds the user who is linked, and applies the mapping. */
  find(arrival: Arrival): Promise<Arrived>
  /**
   * Creates a user with the link, and for an organization the membership.
   * @returns `name taken`: nothing was done, and another name or a look for the link may help
   */
  create(arrival: Arrival, user: NewUser): Promise<Arrived | 'name taken'>
  /** Links somebody to the user of a session. They become a member if their address lets them. */
  link(
    arrival: Arrival,
    user: { userId: string; sessionDigest: Buffer },
  ): Promise<{ outcome: 'linked' } | { outcome: 'changed' } | { outcome: ArrivalProblem }>
  preview(arrival: Arrival): Promise<Preview>
}
