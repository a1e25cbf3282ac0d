import { browse, type CookieJar, logIn } from '@gatehouse/test/browser/browser-login'
import { kubectl, secretValue, settled, upgrade } from '../cluster.ts'
import { expectThat, type Found, type Step } from '../findings.ts'
import { askForToken, isActive, send, theClient } from '../gateway.ts'
import { expectNoFailure, failures, inWords, startLoad } from '../load.ts'
import { siteThrough } from '../site.ts'

const secret = () => crypto.randomUUID().replaceAll('-', '') + crypto.randomUUID().replaceAll('-', '')

/** The gateway as a browser's site, which finds it by the Service: its public address is the chart's default. */
const site = siteThrough('http://localhost:8080')

async function isLoggedIn(jar: CookieJar): Promise<boolean> {
  return (await browse(site, new Map(jar), '/account')).status === 200
}

/** Changes values under load, and says what happened to tokens meanwhile. */
async function under(change: () => Promise<unknown>) {
  const load = startLoad(await theClient())
  await change()
  await settled()
  return load.stop()
}

export const rotate: Step = {
  name: 'rotate',
  title: 'Secrets are rotated, as docs/operate/operations.md says',
  async run(found) {
    await rotateDatabasePassword(found)
    await rotateSessionKey(found)
    await rotateTokenSecret(found)
    await rotateRegistrationToken(found)
  },
}

async function rotateDatabasePassword(found: Found): Promise<void> {
  const password = secret()
  const statement = `ALTER ROLE gatehouse PASSWORD '${password}'`
  const attempts = await under(async () => {
    await kubectl(
      'exec',
      'gatehouse-postgresql-0',
      '--',
      'psql',
      '-U',
      'gatehouse',
      '-d',
      'gatehouse',
      '-c',
      statement,
    )
    await upgrade(`postgresql.password=${password}`)
  })
  expectNoFailure(attempts, 'the password of the database was changed')
  const url = await secretValue('gatehouse-postgresql', 'OAUTH2_DATABASE_URL')
  expectThat(url.includes(password), 'the services do not have the new password')
  found('the password of the database', inWords(attempts))
}

async function rotateSessionKey(found: Found): Promise<void> {
  const password = await secretValue('gatehouse-secrets', 'OAUTH2_SEED_PASSWORD')
  const jar = await logIn(site, 'admin', password)
  expectThat(await isLoggedIn(jar), 'the administrator is not logged in')
  const attempts = await under(() => upgrade(`secrets.OAUTH2_SESSION_KEY=${secret()}`))
  expectNoFailure(attempts, 'OAUTH2_SESSION_KEY was changed')
  expectThat(!(await isLoggedIn(jar)), 'a login outlives OAUTH2_SESSION_KEY')
  expectThat(await isLoggedIn(await logIn(site, 'admin', password)), 'nobody can log in any more')
  found('OAUTH2_SESSION_KEY', `the login has ended; ${inWords(attempts)}`)
}

async function rotateTokenSecret(found: Found): Promise<void> {
  const client = await theClient()
  const { token } = await askForToken(client)
  const attempts = await under(() => upgrade(`secrets.OAUTH2_JWT_SECRET=${secret()}`))
  expectNoFailure(attempts, 'OAUTH2_JWT_SECRET was changed')
  expectThat(!(await isActive(client, token)), 'a token outlives OAUTH2_JWT_SECRET')
  const next = await askForToken(client)
  expectThat(await isActive(client, next.token), 'a new token is not active')
  const early = attempts.filter(({ status }) => status === 200).slice(0, 5)
  for (const one of early) expectThat(!(await isActive(client, one.token)), 'an early token is active')
  found('OAUTH2_JWT_SECRET', `the token has ended; ${inWords(attempts)}`)
}

async function rotateRegistrationToken(found: Found): Promise<void> {
  const body = JSON.stringify({ client_name: 'Token', grant_types: ['client_credentials'], scope: 'read' })
  const tryWith = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await send('/clients/register', { type: 'application/json', body, headers })).status
  }
  const [first, second] = [secret(), secret()]
  await upgrade('config.OAUTH2_REGISTRATION=token', `secrets.OAUTH2_REGISTRATION_TOKEN=${first}`)
  await settled()
  expectThat((await tryWith(first)) === 201, 'the registration token is refused')
  const attempts = await under(() => upgrade(`secrets.OAUTH2_REGISTRATION_TOKEN=${second}`))
  expectThat(failures(attempts).length === 0, `while it was changed: ${inWords(attempts)}`)
  const seen = [await tryWith(first), await tryWith(second)]
  expectThat(seen.join() === '401,201', `the old and the new registration token: ${seen}`)
  found('OAUTH2_REGISTRATION_TOKEN', `the old one is refused; ${inWords(attempts)}`)
  await upgrade('config.OAUTH2_REGISTRATION=open')
  await settled()
}
