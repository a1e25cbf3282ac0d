import { keptCaller } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { domainOfAddress } from '../organizations/domain-name.ts'
import { usernamesFor } from '../providers/social-username.ts'
import type { PublicUser } from '../users/user.ts'
import { vouchedAttributes } from '../users/user-attributes.ts'
import type { Arrival, ArrivalProblem } from './arrival.ts'
import type { ConnectionLoginDeps } from './connection-login.ts'
import type { LoginConnection } from './login-connection.ts'
import { type Claims, mapClaims } from './mapping.ts'
import type { UpstreamPerson } from './upstream-person.ts'

/** Somebody who gets in, or why they do not. */
export type Admitted =
  | { user: PublicUser; created: boolean; revocationIds: readonly bigint[] }
  | { problem: ArrivalProblem | 'changed' }

/** A person as they arrive, with what the mapping gives them. @throws the errors of the client registry */
export async function arrivalOf(
  { issuer, subject, displayName, claims }: UpstreamPerson,
  connection: LoginConnection,
  caller: Arrival['caller'],
  { findRoles }: Pick<ConnectionLoginDeps, 'findRoles'>,
): Promise<Arrival> {
  const attributes = vouchedAttributes(claims)
  const { email } = attributes
  return {
    connection,
    person: { issuer, subject, displayName },
    attributes,
    address:
      email === undefined
        ? undefined
        : { email, domain: isManaged(issuer, connection, claims) ? domainOfAddress(email) : undefined },
    mapped: await mapClaims(connection, claims, findRoles),
    caller: keptCaller(caller),
  }
}

/**
 * Whether the provider speaks for the domain of its addresses. Google verifies also addresses that somebody gave to an account of their own,
 * and keeps that account when they have left the company; `hd` says that the account is one of a company.
 */
function isManaged(issuer: string, { kind }: LoginConnection, { hd }: Claims): boolean {
  const byGoogle = kind === 'google' || issuer === 'https://accounts.google.com'
  return !byGoogle || (typeof hd === 'string' && hd !== '')
}

/**
 * Finds the user who is linked, or creates one if the connection does. Two callbacks of one new person at once give one user.
 * @param name suggests a user name
 */
export async function admit(
  arrival: Arrival,
  name: string,
  { arrivals, names, randomUuid, randomBytes, log }: ConnectionLoginDeps,
): Promise<Admitted> {
  const { connectionId, kind } = arrival.connection
  const found = await arrivals.find(arrival)
  if (found.outcome === 'in') return { ...found, created: false }
  if (found.outcome !== 'stranger') return { problem: found.outcome }
  for (const username of usernamesFor(name, kind, randomBytes)) {
    const id = randomUuid()
    const created = await names.during([username], async ({ reservation, isTaken }) =>
      isTaken(username) ? 'name taken' : arrivals.create(arrival, { id, username, reservation }),
    )
    if (created !== 'name taken') {
      if (created.outcome === 'in') {
        log.info(
          { user_id: id, connection: connectionId },
          'created a user at their first login by a connection',
        )
        return { ...created, created: true }
      }
      if (created.outcome !== 'stranger') return { problem: created.outcome }
    }
    // Either the name is taken, by a user or a client, or a concurrent login of the same person was quicker.
    const meanwhile = await arrivals.find(arrival)
    if (meanwhile.outcome === 'in') return { ...meanwhile, created: false }
    if (meanwhile.outcome !== 'stranger') return { problem: meanwhile.outcome }
  }
  throw new Refusal('server_error', undefined, { cause: new Error('no user name was free') })
}
