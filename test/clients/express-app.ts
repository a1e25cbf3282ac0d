import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { authorize, browse, type CookieJar } from '@gatehouse/test/browser-login'
import { freePorts } from '@gatehouse/test/server-process'
import { expect, test } from 'vitest'
import { createPerson, type Provider } from '../e2e/openid-world.ts'

/** Tests the app of docs/tutorial-express.md, as it stands there. */
export function expressApp(there: () => Provider): void {
  test('logs a user in and out, and says when a login failed', async () => {
    const { system, createClient } = there()
    const [port] = await freePorts(1)
    const baseUrl = `http://127.0.0.1:${port}`
    const { client_id, client_secret } = await createClient({
      redirect_uris: [`${baseUrl}/callback`],
      post_logout_redirect_uris: [`${baseUrl}/`],
      scope: 'openid profile',
    })
    const app = spawn(process.execPath, [join(import.meta.dirname, 'express-app.js')], {
      env: {
        ISSUER: system.baseUrl,
        CLIENT_ID: client_id,
        CLIENT_SECRET: client_secret,
        SESSION_SECRET: 'a secret of the app',
        HOME_PAGE: `${baseUrl}/`,
      },
    })
    const complaints = text(app.stderr)
    try {
      await once(app.stdout, 'data')
      const jar: CookieJar = new Map()
      const open = (path: string | URL) => browse({ baseUrl }, jar, path)
      const page = async () => (await open('/')).text()
      const target = (answer: Response) => new URL(answer.headers.get('location') ?? '', baseUrl)
      expect(await page()).toContain('Nobody is logged in.')

      const person = await createPerson(there())
      const begun = target(await open('/login'))
      const before = jar.get('connect.sid')
      await open(await authorize(system, person.jar, begun))
      expect(await page()).toContain('Hello Ada Lovelace!')
      expect(jar.get('connect.sid')).not.toBe(before)

      const left = await browse(system, person.jar, target(await open('/logout')))
      expect(left.headers.get('location')).toBe(`${baseUrl}/`)
      expect(await page()).toContain('Nobody is logged in.')
      expect(await (await browse(system, person.jar, begun)).text()).not.toContain('code=')

      const state = target(await open('/login')).searchParams.get('state')
      for (const [sent, said] of [
        [state, 'The login failed: access_denied.'],
        ['of somebody else', 'The login failed'],
      ]) {
        const answer = new URLSearchParams({ error: 'access_denied', state: sent ?? '', iss: system.baseUrl })
        const page = await open(`/callback?${answer}`)
        expect([page.status, await page.text()]).toEqual([400, expect.stringContaining(said ?? '')])
      }
    } finally {
      app.kill()
    }
    expect(await complaints).toContain('unexpected "state" response parameter value')
  })
}
