import { join } from 'node:path'
import { buildGoPackage } from '@gatehouse/test/programs/go-programs'
import { beforeAll, test } from 'vitest'
import type { Provider } from '../e2e/openid/openid-world.ts'
import { failLogins, logInAndOut, startApp } from './tutorials/tutorial-app.ts'

/** In milliseconds. The first time Go also downloads the modules and compiles its own library. */
const building = 300_000

/** Tests the app of docs/apps/tutorial-go.md, as it stands there. @param go a Go that can build it */
export function goApp(there: () => Provider, go: string): void {
  let program: string
  beforeAll(async () => {
    program = await buildGoPackage(join(import.meta.dirname, 'go-app'), '.', '', go)
  }, building)

  test('logs a user in and out, and says when a login failed', async () => {
    await using app = await startApp(there(), [program])
    await logInAndOut(there(), app, 'session')
    await failLogins(there(), app)
  })
}
