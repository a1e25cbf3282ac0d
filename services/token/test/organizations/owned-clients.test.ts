import { beforeEach, describe, expect, test } from 'vitest'
import { useDatabase } from '../store/database.ts'
import { acme, startOrganizationReplica } from './organization-replica.ts'

const shared = useDatabase()
let one: ReturnType<typeof startOrganizationReplica>
beforeEach(async () => {
  one = startOrganizationReplica(shared.database)
  await shared.query('truncate token.access_tokens, token.revocations')
})

const work = (organization: string | undefined, clientId = 'client_machine') =>
  one.replica.issue('client_credentials', organization === undefined ? {} : { organization }, clientId)
const refused = {
  code: 'unauthorized_client',
  description: 'The client cannot act for this organization.',
}

describe('a client that an organization owns', () => {
  test.each([undefined, '', 'acme', acme.organizationId])('gets tokens of it: %j', async (organization) => {
    const token = await work(organization)
    expect(one.claimsOf(token)).toMatchObject({ org_id: acme.organizationId, sub: 'client_machine' })
    expect(await one.replica.introspect(token.accessToken)).toMatchObject({ orgId: acme.organizationId })
  })

  test.each(['globex', 'nobody', '-', 'a\0'])('gets none of another: %j', async (organization) => {
    await expect(work(organization)).rejects.toMatchObject(refused)
  })

  test('gets none while it is disabled or deleted', async () => {
    one.members.nobody = []
    for (const organization of [undefined, 'acme', acme.organizationId])
      await expect(work(organization)).rejects.toMatchObject(refused)
  })

  test('loses those that it has when it is disabled', async () => {
    const token = await work(undefined)
    await one.revoke('organization', acme.organizationId)
    expect(await one.replica.isActive(token)).toBe(false)
    expect(await one.replica.isActive(await work(undefined))).toBe(true)
  })

  test('gets none that is active when it is disabled between the answer and the storing', async () => {
    const { find } = one.organizations
    one.organizations.find = async (named) => {
      const found = await find(named)
      await one.revoke('organization', acme.organizationId)
      return found
    }
    expect(await one.replica.isActive(await work(undefined))).toBe(false)
  })

  test('and one that none owns get tokens at the same moment', async () => {
    const tokens = await Promise.all([work(undefined), work(undefined, 'client_plain'), work(undefined)])
    const stored = await shared.query('select organization_id from token.access_tokens order by 1')
    expect(stored.map((row) => row.organization_id)).toEqual([acme.organizationId, acme.organizationId, null])
    for (const token of tokens) expect(await one.replica.isActive(token)).toBe(true)
  })
})

describe('a client that no organization owns', () => {
  test('gets tokens of none, by one statement and without a question', async () => {
    const before = shared.statements.length
    expect(one.claimsOf(await work(undefined, 'client_plain'))).not.toHaveProperty('org_id')
    expect(shared.statements.slice(before)).toEqual(['insert_access_tokens'])
    expect(one.asked).toEqual([])
  })

  test('gets none if it names one', async () => {
    await expect(work('acme', 'client_plain')).rejects.toMatchObject(refused)
    expect(one.asked).toEqual([])
  })
})
