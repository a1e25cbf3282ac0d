import type { InvitedRole } from '../organizations/invitation.ts'
import type { Arrival, ArrivalProblem } from './arrival.ts'
import type { ConnectionLoginDeps } from './connection-login.ts'
import { isOpen } from './login-connection.ts'
import type { Claims, Mapped } from './mapping.ts'
import type { UpstreamPerson } from './upstream-person.ts'

/** A login that was tried and stored nowhere. */
export type LoginTest = {
  /** All that came. */
  claims: Claims
  /** Why this person could not log in now. */
  problem: ArrivalProblem | undefined
  wouldCreate: boolean
  /** The name of the user who would be logged in. */
  username: string | undefined
  attributes: Mapped['attributes']
  groups: readonly string[]
  roles: readonly InvitedRole[]
  /** Rules that give nothing, and why, as sentences. */
  remarks: readonly string[]
}

/** Says what a login would give, and stores nothing. */
export async function testLogin(
  arrival: Arrival,
  { claims }: Pick<UpstreamPerson, 'claims'>,
  { arrivals }: Pick<ConnectionLoginDeps, 'arrivals'>,
): Promise<LoginTest> {
  const { mapped, connection } = arrival
  const { problem, username, groups, remarks } = await arrivals.preview(arrival)
  const given = Object.entries(mapped.attributes).filter(([, value]) => value !== null)
  const shownProblem = isOpen(connection) ? problem : 'no connection'
  return {
    claims,
    problem: shownProblem,
    wouldCreate: problem === undefined && username === undefined,
    username,
    attributes: Object.fromEntries(given),
    groups,
    roles: mapped.roles,
    remarks: [...mapped.remarks, ...remarks],
  }
}
