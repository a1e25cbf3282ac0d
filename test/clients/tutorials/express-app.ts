import { join } from 'node:path'
import { test } from 'vitest'
import type { Provider } from '../../e2e/openid/openid-world.ts'
import { failLogins, logInAndOut, startApp } from './tutorial-app.ts'

/** Tests the app of docs/apps/tutorial-express.md, as it stands there. */
export function expressApp(there: () => Provider): void {
  test('logs a user in and out, and says when a login failed', async () => {
    await using app = await startApp(there(), [process.execPath, join(import.meta.dirname, 'express-app.js')])
    await logInAndOut(there(), app, 'connect.sid')
    await failLogins(there(), app)
  })
}
