import { describe, expect, test } from 'vitest'
import { useConnectionLogins } from './logging-in.ts'

const { shared, add, run, ofOrganization, arrives, withAddress, right } = useConnectionLogins()

const mailsOf = (userId: string) =>
  shared.query('select kind, content from identity.mails where user_id = $1', [userId])
const age = (userId: string) =>
  shared.query("update identity.users set created_at = now() - interval '2 hours' where id = $1", [userId])

describe('the mails about connections', () => {
  test('tell of a login in an unknown browser by a connection of the instance, and none by that of an organization', async () => {
    const unknown = { finish: { knownUsers: [] } }
    const { connectionId } = await add({ newUsers: 'always' })
    withAddress('example.com')
    const ann = right(await run(connectionId)).session.session.user
    await age(ann.id)
    right(await run(connectionId, unknown))
    expect(await mailsOf(ann.id)).toMatchObject([{ kind: 'new_login' }])
    const acme = await ofOrganization()
    withAddress(acme.domain)
    const ben = right(await run(acme.connectionId)).session.session.user
    await age(ben.id)
    for (let time = 0; time < 3; time += 1) right(await run(acme.connectionId, unknown))
    expect(await mailsOf(ben.id)).toEqual([])
  })

  test('tell a user of an account that was connected to their own', async () => {
    const { connectionId } = await add({ name: 'Acme' })
    const { id, username } = await shared.addUser()
    const attributes = { email: `${username}@example.com`, email_verified: true }
    await shared.query('update identity.users set attributes = $2 where id = $1', [id, attributes])
    const { secret } = await shared.browserOf(username)
    arrives()
    const link = {
      begin: { purpose: 'link' as const, sessionSecret: secret },
      finish: { previousSecret: secret },
    }
    for (let time = 0; time < 2; time += 1)
      expect(await run(connectionId, link)).toMatchObject({ outcome: 'linked' })
    expect(await mailsOf(id)).toMatchObject([
      { kind: 'account_connected', content: { username, connection: 'Acme', at: expect.any(Number) } },
    ])
  })
})
