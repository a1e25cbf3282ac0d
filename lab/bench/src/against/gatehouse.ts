import { version } from '@gatehouse/kit/release'
import { issueForm } from '../answers.ts'
import { openDatabase } from '../durability.ts'
import { startGatehouse } from '../gatehouse.ts'
import { addPeople, getCode, logInOnce, loginVariables, redeemCode, refresh } from '../logins/login.ts'
import type { ComparedServer } from './server.ts'

/** Gatehouse: its five processes, as `npm start` runs them. */
export const gatehouse: ComparedServer = {
  title: 'Gatehouse',
  setup: `Gateway and four services, as \`npm start\` runs them, one of each. Tokens are JWTs (HS256) that are in PostgreSQL before
they are answered; refresh tokens are on and rotate. Passwords are hashed with argon2id (19 MiB, 2 iterations).`,
  prepare: async () => undefined,
  async start(deps) {
    const variables = { ...loginVariables, OAUTH2_REFRESH_TOKEN_ENABLED: 'true' }
    const { system, url, credentials, watched, checkAlive } = await startGatehouse({ ...deps, variables })
    const database = await openDatabase(system.databaseUrl, deps.stack)
    const grants = ['authorization_code', 'refresh_token']
    const people = await addPeople({ system, url }, database.client, 'read', grants)
    return {
      version,
      watched,
      checkAlive,
      issue: { url: `${url}/oauth/token`, form: issueForm(credentials) },
      introspect: {
        url: `${url}/oauth/introspect`,
        formOf: (token) =>
          new URLSearchParams({
            token,
            client_id: credentials.clientId,
            client_secret: credentials.clientSecret,
          }).toString(),
      },
      beginSession: (number) => logInOnce(people, number),
      async authorize(cookie) {
        const { location, verifier } = await getCode(people, cookie)
        return { code: location, verifier }
      },
      redeem: ({ code, verifier }) => redeemCode(people, { location: code, verifier }),
      refresh: (token) => refresh(people, token),
      logIn: (number) => logInOnce(people, number),
    }
  },
}
