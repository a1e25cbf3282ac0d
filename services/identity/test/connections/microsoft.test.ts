import { randomUUID } from 'node:crypto'
import { type OpenIdStandIn, startOpenIdStandIn, tenant } from '@gatehouse/test/servers/social-openid'
import { answerAt } from '@gatehouse/test/servers/social-stand-in'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useConnectionLogins } from './logging-in.ts'

const { add, begin, finish, loginDeps } = useConnectionLogins()
let microsoft: OpenIdStandIn
beforeAll(async () => {
  microsoft = await startOpenIdStandIn('microsoft')
})
afterAll(() => microsoft.close())

async function outcomeIn(tenants: readonly string[]) {
  const { connectionId } = await add({ kind: 'microsoft', issuer: '', newUsers: 'always', tenants })
  microsoft.register(`https://auth.example/auth/callback/${connectionId}`)
  microsoft.person = { ...microsoft.person, sub: randomUUID(), oid: randomUUID() }
  const of = loginDeps({}, { OAUTH2_MICROSOFT_ISSUER: microsoft.configuredIssuer })
  const begun = await begin(connectionId, {}, of)
  const { search } = await answerAt(microsoft, begun.authorizationUrl)
  return (await finish(begun, search.slice(1), {}, of)).outcome
}

test('people of the tenants of a connection to Microsoft log in, and no others', async () => {
  expect(await outcomeIn([tenant])).toBe('right')
  expect(await outcomeIn([randomUUID(), tenant.toUpperCase()])).toBe('right')
  expect(await outcomeIn([])).toBe('right')
  expect(await outcomeIn([randomUUID()])).toBe('denied')
})
