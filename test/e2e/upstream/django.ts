import { join } from 'node:path'
import { freePorts, prepareServer } from '@gatehouse/test/servers/server-process'
import type { RealProvider } from './contract.ts'
import { password } from './provider-pages.ts'

/**
 * Starts a provider of Django OAuth Toolkit. It has neither pushed authorization requests nor back-channel logout.
 * @param python a Python that has it
 */
export async function startDjangoProvider(
  python: string,
): Promise<RealProvider & { close(): Promise<void> }> {
  const [port = 0] = await freePorts(1)
  const baseUrl = `http://127.0.0.1:${port}`
  const client = { client_id: 'gatehouse', client_secret: 'a secret/with+signs=& spaces' }
  const settings = JSON.stringify({ port, password, ...client })
  const server = await prepareServer(async () => ({
    path: python,
    argv: [join(import.meta.dirname, 'django_provider.py'), settings],
    probe: () => fetch(baseUrl),
  }))
  await server.start()

  async function control(wanted: object): Promise<void> {
    const response = await fetch(`${baseUrl}/control`, { method: 'POST', body: JSON.stringify(wanted) })
    if (!response.ok) throw new Error(`the provider answered ${response.status} ${await response.text()}`)
  }

  return {
    ...{ baseUrl, issuer: `${baseUrl}/o`, client, scope: 'openid profile email groups' },
    register: (connections) => control({ client: connections.map(({ redirect_uri: uri }) => uri) }),
    async addUser(username) {
      await control({ user: username })
      return { username }
    },
    removeFromGroup: ({ username }) => control({ leave: username }),
    rotateKeys: () => control({ rotate: true }),
    close: () => server.close(),
  }
}
