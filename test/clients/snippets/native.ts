import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { authorize } from '@gatehouse/test/browser/browser-login'
import { expect, test } from 'vitest'
import { createPerson } from '../../e2e/openid/openid-world.ts'
import { greetingOf } from './web.ts'
import type { Workshop } from './workshop.ts'

/** Runs the code of an app on a device. */
export function nativeSnippets(there: () => Workshop): void {
  test('logs users in to an app on a device with Node.js', async () => {
    const { provider, create, save } = there()
    // With the redirect URI that the form has.
    const { code, description } = await create('native')
    const app = spawn(process.execPath, [await save('native/app.mjs', code['Node.js'] ?? '')])
    const complaint = text(app.stderr)
    const ended = once(app, 'exit')
    const printed: string[] = []
    const output = createInterface(app.stdout)
    output.on('line', (line) => printed.push(line))
    try {
      const [line] = (await once(output, 'line')) as [string]
      const address = new URL(line.replace('Open ', ''))
      const callback = new URL(address.searchParams.get('redirect_uri') ?? '')
      expect(callback.port).not.toBe('')
      expect((await fetch(new URL('/?state=made-up', callback))).status).toBe(404)
      const person = await createPerson(provider)
      const answer = await fetch(await authorize(provider.system, person.jar, address))
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining('You are logged in.'),
      ])
      await ended
      expect([printed.at(-1), await complaint]).toEqual([greetingOf(description, person), ''])
    } finally {
      app.kill()
    }
  })

  test('is only what works for an app with a scheme of its own', async () => {
    const { code } = await there().create('native', { redirectUri: 'com.example.app:/callback' })
    expect(Object.keys(code)).toEqual(['.env'])
  })
}
