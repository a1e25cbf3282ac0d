import { join } from 'node:path'
import { test } from 'vitest'
import type { Provider } from '../../e2e/openid/openid-world.ts'
import { failLogins, logInAndOut, startApp } from './tutorial-app.ts'

/**
 * Tests the app of docs/apps/tutorial-python.md, as it stands there.
 * @param python a Python with Flask and Authlib
 */
export function flaskApp(there: () => Provider, python: string): void {
  test('logs a user in and out, and says when a login failed', async () => {
    await using app = await startApp(there(), [python, join(import.meta.dirname, 'flask_app.py')])
    await logInAndOut(there(), app, 'session')
    await failLogins(there(), app)
  })
}
