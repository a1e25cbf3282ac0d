import { randomBytes } from 'node:crypto'
import { pickPort } from '@gatehouse/local/ports'
import { buildGoPackage } from '@gatehouse/test/programs/go-programs'
import { onPath, run } from '@gatehouse/test/programs/run'
import { BenchFailure } from '../failure.ts'
import { post, send } from '../http.ts'
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
import type { ComparedServer } from './server.ts'
import { startDatabase, startProcess } from './started.ts'

const directory = new URL('hydra', import.meta.url).pathname
const pages = 'http://127.0.0.1:9/'
/** For how long the login app remembers people, in seconds. */
const remembered = 3_600

function hydra(title: string, setup: string, variables: Record<string, string>): ComparedServer {
  return {
    title,
    setup,
    without: { login: 'It checks no passwords: a login app of its users does.' },
    async prepare() {
      if (!onPath('go')) return 'Go is missing: https://go.dev/dl, or apt-get install golang'
      await buildGoPackage(directory)
      return undefined
    },
    async start(deps) {
      const path = await buildGoPackage(directory)
      const { url: databaseUrl, watched } = await startDatabase(deps)
      const [port, adminPort] = [await pickPort(), await pickPort()]
      const [url, admin] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}/admin`]
      const env = {
        DSN: `${databaseUrl.replace(/^postgresql:/, 'postgres:')}?sslmode=disable`,
        URLS_SELF_ISSUER: url,
        URLS_LOGIN: `${pages}login`,
        URLS_CONSENT: `${pages}consent`,
        SECRETS_SYSTEM: randomBytes(32).toString('hex'),
        SERVE_PUBLIC_HOST: '127.0.0.1',
        SERVE_PUBLIC_PORT: String(port),
        SERVE_ADMIN_HOST: '127.0.0.1',
        SERVE_ADMIN_PORT: String(adminPort),
        LOG_LEVEL: 'error',
        SQA_OPT_OUT: 'true',
        ...variables,
      }
      const migrated = await run(path, ['migrate', 'sql', '-e', '--yes'], { env: { ...process.env, ...env } })
      if (!migrated.ok)
        throw new BenchFailure(`hydra migrate failed: ${migrated.stderr.trim().split('\n').at(-1)}`)
      const started = startProcess('hydra', [path, 'serve', 'all', '--dev'], deps, env)
      await started.untilReady(`${url}/health/ready`)
      const client = {
        ...app,
        grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: [redirectUri],
        scope: 'read offline',
        token_endpoint_auth_method: 'client_secret_post',
      }
      const registered = await post(`${admin}/clients`, JSON.stringify(client), 'application/json')
      if (registered.status !== 201) throw new BenchFailure(`hydra made no client: ${registered.text}`)

      /** The work of the login and consent app, which people write for Hydra: it accepts, and has it remembered. */
      async function accept(kind: 'login' | 'consent', location: string, number: number): Promise<string> {
        const challenge = new URL(location).searchParams.get(`${kind}_challenge`) ?? ''
        const about = `${admin}/oauth2/auth/requests/${kind}`
        const asked = await send(`${about}?${kind}_challenge=${challenge}`)
        if (asked.status !== 200) throw unexpected(`the ${kind} request`, asked)
        const request = JSON.parse(asked.text)
        const answer =
          kind === 'login'
            ? { subject: request.subject || `person-${number}`, remember: true, remember_for: remembered }
            : { grant_scope: request.requested_scope, remember: true, remember_for: remembered }
        const sent = await send(`${about}/accept?${kind}_challenge=${challenge}`, {
          method: 'PUT',
          json: answer,
        })
        if (sent.status !== 200) throw unexpected(`the accepted ${kind}`, sent)
        return JSON.parse(sent.text).redirect_to
      }

      async function go(cookie: string, number: number) {
        const browser = openBrowser(cookie)
        const { url: address, verifier } = authorizationRequest(`${url}/oauth2/auth`, 'read offline')
        let answer = await browser.ask(address)
        for (const kind of ['login', 'consent'] as const) {
          const { location = '' } = answer.headers
          if (location.startsWith(`${pages}${kind}`))
            answer = await browser.ask(await accept(kind, location, number))
        }
        return { code: codeIn(answer, 'authorize'), verifier, cookie: browser.cookie() }
      }

      return {
        version: await versionOf(),
        watched: [started.watched, watched],
        checkAlive: started.checkAlive,
        issue: { url: `${url}/oauth2/token`, form: machineForm('read') },
        introspect: { url: `${admin}/oauth2/introspect`, formOf: introspectionForm },
        beginSession: async (number) => (await go('', number)).cookie,
        authorize: (cookie) => go(cookie, 0),
        ...tokenRequests(`${url}/oauth2/token`),
      }
    },
  }
}

async function versionOf(): Promise<string> {
  const { stdout } = await run('go', ['list', '-m', '-f', '{{.Version}}', 'github.com/ory/hydra/v2'], {
    cwd: directory,
    env: { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' },
  })
  return stdout.trim().replace(/^v/, '')
}

const common = `One process (\`hydra serve all --dev\`, as it speaks http behind a proxy), logging errors only, without telemetry. Opaque
tokens, which are its default. Its introspection is on the port for administrators and asks for no credentials. The login and consent app,
which people write for it, accepts at once and has it remembered, in the load generator: its CPU is not counted, but its requests to Hydra
are.`

/** As it comes. */
export const hydraAsItComes = hydra(
  'Ory Hydra',
  `${common} Client secrets are hashed with PBKDF2 with 25,000 iterations, its default.`,
  {},
)

/** With the setting that decides its figures as favourable as it may be. */
export const hydraQuickHash = hydra(
  'Ory Hydra (one iteration)',
  `${common} Client secrets are hashed with a single iteration of PBKDF2, which is enough for random secrets and not its default.`,
  { OAUTH2_HASHERS_PBKDF2_ITERATIONS: '1' },
)
