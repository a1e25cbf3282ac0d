import { pickPort } from '@gatehouse/local/ports'
import { onPath } from '@gatehouse/test/programs/run'
import { keycloakAdministrator, keycloakCommand } from '@gatehouse/test/servers/keycloak/command'
import { keycloakDistribution, keycloakVersion } from '@gatehouse/test/servers/keycloak/distribution'
import { BenchFailure } from '../failure.ts'
import { send } from '../http.ts'
import {
  app,
  authorizationRequest,
  codeIn,
  introspectionForm,
  machineForm,
  redirectUri,
  tokenRequests,
  unexpected,
} from './app.ts'
import { openBrowser } from './browser.ts'
import type { ComparedServer, RunningServer } from './server.ts'
import { startDatabase, startProcess } from './started.ts'

const password = 'the password of everybody here'
const people = 64
const notBuilt = `Keycloak ${keycloakVersion} could not be built`

/** Gets the distribution from Maven, with its build for PostgreSQL. */
async function prepare(tell: (line: string) => void): Promise<string | undefined> {
  for (const name of ['java', 'mvn', 'unzip'])
    if (!onPath(name)) return `${name} is missing: apt-get install openjdk-17-jre-headless maven unzip`
  tell(`looking for Keycloak ${keycloakVersion} …`)
  return (await keycloakDistribution()) === undefined ? notBuilt : undefined
}

/** Keycloak in production mode. */
export const keycloak: ComparedServer = {
  title: 'Keycloak',
  setup: `One Java process in production mode: \`kc.sh build --db=postgres --cache=local\`, then \`start --optimized\` with http, since TLS ends at a
proxy; logging warnings only. Access tokens are JWTs (RS256), of which those of client_credentials are stored nowhere. Sessions are in
PostgreSQL, its default. People agree once. An old refresh token stays valid, its default. Passwords are hashed with argon2id (7 MiB, 5 iterations).
It works for 15 s before each figure, so that Java has compiled what runs often.`,
  warmUpSeconds: 15,
  prepare,
  async start(deps) {
    const home = await keycloakDistribution()
    if (home === undefined) throw new BenchFailure(notBuilt)
    const { url: databaseUrl, watched } = await startDatabase(deps)
    const [port, managementPort] = [await pickPort(), await pickPort()]
    const url = `http://127.0.0.1:${port}`
    const command = keycloakCommand(home, { databaseUrl, port, managementPort })
    const { JAVA_HOME = '' } = process.env
    const started = startProcess('keycloak', [command.path, ...command.argv], deps, {
      ...command.environment,
      ...(JAVA_HOME && { JAVA_HOME }),
    })
    await started.untilReady(`http://127.0.0.1:${managementPort}/health/ready`)
    await makeRealm(url)
    const endpoint = `${url}/realms/bench/protocol/openid-connect`
    return {
      version: keycloakVersion,
      watched: [started.watched, watched],
      checkAlive: started.checkAlive,
      ...requestsTo(url, endpoint),
    }
  },
}

function requestsTo(
  url: string,
  endpoint: string,
): Omit<RunningServer, 'version' | 'watched' | 'checkAlive'> {
  const tokens = tokenRequests(`${endpoint}/token`)

  /** A login in a new browser; the first one of each person also answers the consent page. */
  async function begin(number: number) {
    const browser = openBrowser()
    const { url: address, verifier } = authorizationRequest(`${endpoint}/auth`)
    const page = await browser.ask(address)
    const username = `person-${number % people}`
    let answer = await browser.ask(actionIn(page.text), { username, password, credentialId: '' })
    answer = await browser.follow(answer, url)
    if (answer.status === 200) {
      const action = new URL(actionIn(answer.text), url).href
      const code = /name="code" value="([^"]*)"/.exec(answer.text)?.[1] ?? ''
      answer = await browser.follow(await browser.ask(action, { code, accept: 'Yes' }), url)
    }
    return { cookie: browser.cookie(), code: codeIn(answer, 'the login'), verifier }
  }

  return {
    issue: { url: `${endpoint}/token`, form: machineForm() },
    introspect: { url: `${endpoint}/token/introspect`, formOf: introspectionForm },
    beginSession: async (number) => (await begin(number)).cookie,
    async authorize(cookie) {
      const { url: address, verifier } = authorizationRequest(`${endpoint}/auth`)
      return {
        code: codeIn(await send(address, { headers: { accept: 'text/html', cookie } }), 'authorize'),
        verifier,
      }
    },
    ...tokens,
    logIn: async (number) => tokens.redeem(await begin(number)),
  }
}

/** The address of the form on a page. */
function actionIn(page: string): string {
  return (/<form[^>]*action="([^"]*)"/.exec(page)?.[1] ?? '').replaceAll('&amp;', '&')
}

async function makeRealm(url: string): Promise<void> {
  const asked = await send(`${url}/realms/master/protocol/openid-connect/token`, {
    form: { grant_type: 'password', client_id: 'admin-cli', ...keycloakAdministrator },
  })
  if (asked.status !== 200) throw unexpected('the administrator’s login', asked)
  const realm = {
    realm: 'bench',
    enabled: true,
    sslRequired: 'none',
    accessTokenLifespan: 3_600,
    clients: [
      {
        clientId: app.client_id,
        secret: app.client_secret,
        publicClient: false,
        serviceAccountsEnabled: true,
        standardFlowEnabled: true,
        consentRequired: true,
        redirectUris: [redirectUri],
        // It says nothing about a token to a client that the token is not for.
        protocolMappers: [
          {
            name: 'audience',
            protocol: 'openid-connect',
            protocolMapper: 'oidc-audience-mapper',
            config: { 'included.client.audience': app.client_id, 'access.token.claim': 'true' },
          },
        ],
      },
    ],
    users: Array.from({ length: people }, (_, number) => ({
      username: `person-${number}`,
      email: `person-${number}@example.com`,
      emailVerified: true,
      firstName: 'A',
      lastName: 'Person',
      enabled: true,
      credentials: [{ type: 'password', value: password }],
    })),
  }
  const headers = { authorization: `Bearer ${JSON.parse(asked.text).access_token}` }
  const made = await send(`${url}/admin/realms`, { json: realm, headers })
  if (made.status !== 201) throw unexpected('the realm', made)
}
