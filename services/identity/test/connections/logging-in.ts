import { randomUUID } from 'node:crypto'
import { digestsOf } from '../../src/basics/secret.ts'
import type { NewConnection } from '../../src/connections/connection-change.ts'
import { addOrganization } from '../organizations/organizations.ts'
import { useConnections } from './connections.ts'

/** Starts a provider, and replicas where people log in by connections. */
export function useConnectionLogins() {
  const used = useConnections()
  const { shared, standIn, add, run } = used

  /** An organization that has proven a domain. */
  async function organizationWith(members: Record<string, 'owner' | 'admin' | 'member'> = {}) {
    const { organizationId } = await addOrganization(shared.replica(), members)
    const domain = `d-${randomUUID()}.example.com`
    await shared.query(
      `insert into identity.organization_domains (organization_id, domain, challenge, proven_at) values ($1, $2, 'x', now())`,
      [organizationId, domain],
    )
    return { organizationId, domain }
  }
  const ofOrganization = async (changes: Partial<NewConnection> = {}) => {
    const organization = await organizationWith()
    return { ...(await add({ organizationId: organization.organizationId, ...changes })), ...organization }
  }
  /** Lets somebody else be at the provider. */
  const arrives = (claims: Record<string, unknown> = {}) => {
    const sub = `person-${randomUUID()}`
    standIn().person = { sub, name: 'Ann Example', ...claims }
    return sub
  }
  const withAddress = (domain: string, changes = {}) =>
    arrives({ email: `ann-${randomUUID()}@${domain}`, email_verified: true, ...changes })
  const session = (secret: string) => shared.replica().sessions.findAny(digestsOf(secret), undefined)
  const right = (outcome: Awaited<ReturnType<typeof run>>) => {
    if (outcome.outcome !== 'right') throw new Error(`the login was ${outcome.outcome}`)
    return outcome
  }
  const linksOf = (connectionId: string) =>
    shared.query('select * from identity.connection_links where connection_id = $1', [connectionId])

  return { ...used, organizationWith, ofOrganization, arrives, withAddress, session, right, linksOf }
}
