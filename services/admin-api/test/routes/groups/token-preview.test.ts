import {
  adminClient,
  administered,
  adminToken,
  byToken,
  rootUser,
} from '@gatehouse/gateway/testing/administrator'
import { errorOf } from '@gatehouse/gateway/testing/gateway'
import { expect, test } from 'vitest'

const userId = '0190f0a0-0000-7000-8000-0000000000b1'
const path = `/admin/api/users/${userId}/token-preview?client_id=client_b`

/** Asks for a preview of tokens, in an organization or in none. */
async function preview(scope: string, { named, given }: { named?: string; given?: string }) {
  const accessToken = { sub: userId, ...(given && { org_id: given }) }
  const { send, asked } = await administered({
    tokens: {
      introspect: async () => ({ ...adminToken, scope }),
      previewTokens: async () => ({
        outcome: { $case: 'preview', value: { accessToken, idToken: undefined, userinfo: undefined } },
      }),
    },
    identity: { getUser: async () => ({ user: rootUser }) },
    clientRegistry: { lookupClients: async () => ({ changed: [{ ...adminClient, scope }], unknown: [] }) },
  } as never)
  const answer = await send('GET', named ? `${path}&organization=${named}` : path, undefined, byToken)
  const error = answer.status === 200 ? undefined : errorOf(answer)
  return { status: answer.status, error, text: answer.text, asks: asked('previewTokens').length }
}

const [users, both] = ['admin:users:read', 'admin:users:read admin:organizations:read']

test('a preview in no organization needs the part of users alone', async () => {
  expect(await preview(users, {})).toMatchObject({ status: 200, asks: 1 })
})

test('a preview in an organization needs the part of organizations, too', async () => {
  const refused = { status: 403, error: 'insufficient_scope', asks: 0 }
  const { text, ...answer } = await preview(users, { named: 'acme', given: 'org_1' })
  expect(answer).toEqual(refused)
  expect(text).toContain('lacks the scope admin:organizations:read')
  for (const scope of [both, 'admin'])
    expect(await preview(scope, { named: 'acme', given: 'org_1' })).toMatchObject({ status: 200, asks: 1 })
})

test('a preview for a client that is in an organization by itself tells nothing of it', async () => {
  const { status, error, text } = await preview(users, { given: 'org_1' })
  expect([status, error]).toEqual([403, 'insufficient_scope'])
  expect(text).not.toContain('org_1')
  expect(await preview(both, { given: 'org_1' })).toMatchObject({ status: 200 })
})
