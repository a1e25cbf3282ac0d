import { hash } from 'node:crypto'
import { type CookieJar, logIn } from '@gatehouse/test/browser/browser-login'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { Client } from 'pg'
import type { SinglePageApp } from './tutorials/single-page-app.ts'

/** The parts that the client tests use: a system, a logged-in user, and an app on another origin. */
export type World = { system: TestSystem; jar: CookieJar; app: SinglePageApp }

/** The user who logs in. */
export const person = { username: 'ada', password: 'a long pass phrase & more' }

/** Characters that are encoded differently in URLs, forms, JSON and HTML. */
export const specialState = `a+b c%20d&e=f"g<h>'/?#\\ü☃`

/** A client secret that changes when it is form-decoded or cut at the colon. */
export const specialSecret = 'sec:ret/+ %1'

/** A client secret that becomes another well-formed secret when it is form-decoded. */
export const ambiguousSecret = 'sec:ret/+%2B%20'

/** The first secret with a letter that RFC 6749 appendix A.2 does not allow. */
export const accentedSecret = `${specialSecret}ä`

/** The redirect URI of clients. Nothing listens there, because the tests only need the URL of the redirect. */
export const callback = 'https://app.example/callback'

/** The metadata that a web application registers. */
export const webApplication = {
  client_name: 'Acme',
  redirect_uris: [callback],
  grant_types: ['authorization_code', 'client_credentials', 'refresh_token'],
  scope: 'read write',
}

/**
 * Starts a system with a user, who has the seeded administrator's account.
 * @param variables more variables
 */
export function startSystemWithPerson(variables: Record<string, string> = {}): Promise<TestSystem> {
  const { username, password } = person
  return startTestSystem({ OAUTH2_SEED_USERNAME: username, OAUTH2_SEED_PASSWORD: password, ...variables })
}

/** Logs the person in. */
export function logPersonIn(system: TestSystem): Promise<CookieJar> {
  return logIn(system, person.username, person.password)
}

/**
 * Registers a web application with a secret of our choice, which registration cannot do.
 * @returns its credentials, with the chosen secret
 */
export async function registerWithSecret(system: TestSystem, secret: string): Promise<RegisteredClient> {
  const { client_id } = await system.register(webApplication)
  const database = new Client(system.databaseUrl)
  await database.connect()
  await database
    .query('update clients.client_secrets set secret_digest = $2 where client_id = $1', [
      client_id,
      hash('sha256', secret, 'buffer'),
    ])
    .finally(() => database.end())
  return { client_id, client_secret: secret }
}
