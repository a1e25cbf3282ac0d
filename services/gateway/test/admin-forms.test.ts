import { expect, test } from 'vitest'
import { administered, bySession } from './administrator.ts'
import { accept, refusing } from './browser.ts'
import { client } from './gateway.ts'

const refused = refusing('invalid_request', 'client_name is taken.')
const user = {
  ...{ userId: 'user-1', username: 'ann', admin: false, hasPassword: true, socialAccounts: [] },
  ...{ createdAt: new Date(0), disabledAt: undefined, attributes: {} },
}
const resourceServer = {
  ...{
    resourceId: 'x',
    identifier: 'https://mcp.example',
    name: 'Tools',
    openRegistration: false,
    clientId: '',
  },
  ...{ scopes: [{ scope: 'mcp:tools', description: 'Use its tools' }], disabled: false },
  ...{ createdAt: new Date(0), revision: 1n },
}

/** A gateway where administrators can read everything and every change is refused. */
const gate = await administered({
  clientRegistry: {
    ...{ getClient: async () => ({ client }), createClient: refused, updateClient: refused },
    ...{ deleteClient: refused, rotateClientSecret: refused },
    getResourceServer: async () => ({ resourceServer }),
    ...{ createResourceServer: refused, updateResourceServer: refused, deleteResourceServer: refused },
  },
  identity: {
    ...{ getUser: async () => ({ user }), createUser: refused, updateUser: refused, deleteUser: refused },
    ...{ resetPassword: refused, endUserSessions: refused, resetFactors: refused },
  },
  mails: { sendUserLink: refused, retryMail: refused },
  tokens: { endToken: refused, endTokensOf: refused, rotateKeyOfAlgorithm: refused },
})
const forms = gate.routes.filter(({ url, method }) => /^\/admin\/(?!api\/)/.test(url) && method === 'POST')

test.each(forms.map(({ url }) => url))(
  '%s: a refused form is shown again, and is not logged as an error',
  async (url) => {
    gate.lines.length = 0
    for (const form of ['', 'client_name=Acme&grant_client_credentials=on&overlap=0&token=x&jti=x&exp=1']) {
      const path = url.replace(':id', url.startsWith('/admin/keys/') ? 'HS256' : 'x')
      const answer = await gate.send('POST', path, form, { ...bySession, accept })
      expect([answer.status, answer.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8'])
    }
    // An error after the answer would only be visible in the log, after this turn.
    await new Promise(setImmediate)
    expect(gate.lines.map(({ level, status }) => ({ level, status }))).toEqual(
      Array(2).fill({ level: 30, status: 400 }),
    )
  },
)
