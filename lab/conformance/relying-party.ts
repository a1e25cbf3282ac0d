import { rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { addClient, openDatabase, secretOf, startSuiteSystem } from './suite-system.ts'

// Lets the conformance suite play the identity provider of a connection, with all faults that it knows, and logs somebody in at each
// module. The rig of run.ts starts this program and says in variables where the suite is. It writes its results and waits to be stopped.

const { OIDF_SUITE, OIDF_OP_URL, RELYING_PARTY_RESULTS = '', RELYING_PARTY_MODULES = '' } = process.env
const alias = 'gatehouse-rp'
const issuer = `${OIDF_SUITE}/test/a/${alias}/`
const upstreamClient = {
  client_id: 'gatehouse',
  client_secret: 'a-secret-of-gatehouse-that-is-longer-than-32',
}
const variant = {
  client_registration: 'static_client',
  request_type: 'plain_http_request',
} as const
const detailed = { ...variant, client_auth_type: 'client_secret_basic', response_mode: 'default' }

/** The plans that judge a relying party with the code flow. */
const plans = [
  { name: 'oidcc-client-basic-certification-test-plan', variant },
  { name: 'oidcc-client-config-certification-test-plan', variant: detailed },
  { name: 'oidcc-client-back-channel-logout-rp-basic', variant: detailed },
]

/** The modules after which nobody may be logged in, although the suite lets some relying parties accept them. */
const mustRefuse = /invalid|missing|idtoken-sig-none|issuer-mismatch/
/** The modules with two logins. */
const twice = /signing-key-rotation$/
/** The module that ends when the metadata are read. */
const onlyBegins = /discovery-openid-config$/
/**
 * The modules that are not run: one ends when the keys are read and counts what a login does next as a fault. That keys are read is shown by all others.
 */
const notRun = /discovery-jwks-uri-keys$/
/** The suite wants to be logged out of with an ID token, which Gatehouse does not show to anybody. Its own answer to a logout token is judged. */
const noFaultOfOurs = /^ValidateIdTokenHintInRPInitiatedLogoutRequest:/
/**
 * The outcomes that are right. Which key verifies a token without `kid`, of several, may be left open. A logout token may be signed by any
 * algorithm of the provider's keys.
 */
function rightOutcomes(name: string): readonly string[] {
  if (/backchannel-rpinitlogout(-wrong-alg)?$/.test(name)) return ['logged out']
  if (/kid-absent-multiple/.test(name)) return ['logged in', 'refused']
  if (onlyBegins.test(name)) return ['begun']
  return [mustRefuse.test(name) ? 'refused' : 'logged in']
}

type Module = { testModule: string; variant?: Record<string, string> }
type Info = { status: string; result?: string }
/** A module that ran: the suite's result and what became of the login. */
export type ModuleResult = {
  plan: string
  module: string
  result: string
  login: string
  right: boolean
  faults: string[]
}

const system = await startSuiteSystem()
const database = await openDatabase(system)
await addClient(database, {
  ...{ id: 'operator', redirectUris: [], grants: ['client_credentials'], scope: 'admin' },
})
await database.end()
const token = await administratorsToken()
let connection: { connection_id: string; redirect_uri: string } | undefined

const results: ModuleResult[] = []
await suiteReady()
for (const plan of plans) for (const result of await runPlan(plan)) results.push(result)
// Renamed when it is whole, because its reader waits for it.
await writeFile(`${RELYING_PARTY_RESULTS}.part`, JSON.stringify(results))
await rename(`${RELYING_PARTY_RESULTS}.part`, RELYING_PARTY_RESULTS)

async function runPlan({ name, variant }: (typeof plans)[number]): Promise<ModuleResult[]> {
  const done: ModuleResult[] = []
  const config = () => ({
    alias,
    waitTimeoutSeconds: 2,
    client: {
      ...upstreamClient,
      redirect_uri: connection?.redirect_uri ?? `${OIDF_OP_URL}/auth/callback/later`,
      backchannel_logout_uri: `${OIDF_OP_URL}/auth/connections/${connection?.connection_id}/backchannel-logout`,
      post_logout_redirect_uri: `${OIDF_OP_URL}/auth/login`,
    },
  })
  const begin = () =>
    suite<{ id: string; modules: Module[] }>(
      'POST',
      'plan',
      { planName: name, variant: JSON.stringify(variant) },
      config(),
    )
  let plan = await begin()
  if (connection === undefined) {
    // The connection can only be made while a module answers for its issuer, and the plan must know the connection's address.
    const [first] = plan.modules
    if (first === undefined) throw new Error(`the plan ${name} has no modules`)
    const { id } = await startModule(plan.id, first)
    connection = await admin('POST', '/connections', {
      ...{
        kind: 'oidc',
        name: 'Suite',
        issuer,
        ...upstreamClient,
        scope: 'openid profile email',
        new_users: 'always',
      },
    })
    await suite('DELETE', `runner/${id}`)
    plan = await begin()
  }
  for (const module of plan.modules)
    if (new RegExp(RELYING_PARTY_MODULES).test(module.testModule) && !notRun.test(module.testModule))
      done.push(await runModule(name, plan.id, module))
  return done
}

async function runModule(plan: string, planId: string, module: Module): Promise<ModuleResult> {
  const name = module.testModule
  await renewConnection()
  const { id } = await startModule(planId, module)
  let login = await logIn(name)
  if (twice.test(name) && login.outcome === 'logged in') login = await logIn(name)
  const info = await endOf(id)
  const log = await suite<{ result?: string; src?: string; msg?: string }[]>('GET', `log/${id}`)
  const faults = log
    .filter(({ result }) => result === 'FAILURE')
    .map(({ src, msg }) => `${src}: ${msg}`.slice(0, 200))
  const ours = faults.filter((fault) => !noFaultOfOurs.test(fault) && !/wrong-alg$/.test(name))
  const result = info.status === 'INTERRUPTED' ? 'FAILED' : (info.result ?? 'FAILED')
  const isPassed = result !== 'FAILED' || (faults.length > 0 && ours.length === 0)
  const right = isPassed && rightOutcomes(name).includes(login.outcome)
  return { plan, module: name, result, login: login.outcome, right, faults }
}

/** Changes the connection, so that nothing is known of the provider that the module before played. */
async function renewConnection(): Promise<void> {
  await admin('PATCH', `/connections/${connection?.connection_id}`, {
    name: `Suite ${results.length} ${Date.now()}`,
  })
}

async function startModule(planId: string, { testModule, variant = {} }: Module): Promise<{ id: string }> {
  const started = await suite<{ id: string }>('POST', 'runner', {
    ...{ test: testModule, plan: planId, variant: JSON.stringify(variant) },
  })
  for (;;) {
    const { status } = await suite<Info>('GET', `info/${started.id}`)
    if (status === 'CONFIGURED') await suite('POST', `runner/${started.id}`)
    if (status === 'WAITING' || status === 'FINISHED' || status === 'INTERRUPTED') return started
    await sleep(100)
  }
}

async function endOf(id: string): Promise<Info> {
  const until = Date.now() + 30_000
  for (;;) {
    const info = await suite<Info>('GET', `info/${id}`)
    if (info.status === 'FINISHED' || info.status === 'INTERRUPTED') return info
    if (Date.now() > until) {
      await suite('DELETE', `runner/${id}`)
      return { status: 'INTERRUPTED' }
    }
    await sleep(200)
  }
}

/** Logs somebody in as a browser does, and out at the provider where the module is about logout. */
async function logIn(module: string): Promise<{ outcome: string }> {
  const cookies = new Map<string, string>()
  const begun = await visit(`${OIDF_OP_URL}/auth/login/${connection?.connection_id}`, cookies)
  if (begun.location === undefined) return { outcome: 'refused' }
  if (onlyBegins.test(module)) return { outcome: 'begun' }
  const answered = await visit(begun.location, new Map())
  if (answered.location === undefined) return { outcome: `the provider answered ${answered.status}` }
  const finished = await visit(answered.location, cookies)
  const isIn = finished.status === 302 && finished.location?.endsWith('/account') === true
  if (isIn && /backchannel/.test(module)) {
    const end = new URL(`${issuer}session/end`)
    const { end_session_endpoint } = (await (
      await fetch(`${issuer}.well-known/openid-configuration`)
    ).json()) as {
      end_session_endpoint?: string
    }
    const address = new URL(end_session_endpoint ?? end)
    address.searchParams.set('client_id', upstreamClient.client_id)
    address.searchParams.set('post_logout_redirect_uri', `${OIDF_OP_URL}/auth/login`)
    await visit(address.href, new Map())
    const after = await visit(`${OIDF_OP_URL}/account`, cookies)
    return { outcome: after.status === 200 ? 'logged in' : 'logged out' }
  }
  return { outcome: isIn ? 'logged in' : 'refused' }
}

async function visit(address: string, cookies: Map<string, string>) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(address, { redirect: 'manual', headers: { cookie, accept: 'text/html' } })
  for (const set of response.headers.getSetCookie()) {
    const [pair = ''] = set.split(';', 1)
    cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
  }
  const location = response.headers.get('location')
  await response.body?.cancel()
  return {
    status: response.status,
    location: location === null ? undefined : new URL(location, address).href,
  }
}

/** The rig starts the suite and this program at the same time. */
async function suiteReady(): Promise<void> {
  const until = Date.now() + 300_000
  for (;;) {
    const answered = await suite('GET', 'plan/available').catch((error: unknown) => error)
    if (!(answered instanceof Error)) return
    if (Date.now() > until) throw answered
    await sleep(1_000)
  }
}

async function administratorsToken(): Promise<string> {
  const response = await fetch(`${OIDF_OP_URL}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`operator:${secretOf('operator')}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'admin' }),
  })
  const { access_token } = (await response.json()) as { access_token?: string }
  if (access_token === undefined) throw new Error(`the token endpoint answered ${response.status}`)
  return access_token
}

async function admin(
  method: string,
  path: string,
  body: unknown,
): Promise<{ connection_id: string; redirect_uri: string }> {
  const response = await fetch(`${OIDF_OP_URL}/admin/api${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as { connection_id: string; redirect_uri: string }
}

async function suite<Answer = unknown>(
  method: string,
  path: string,
  query: Record<string, string> = {},
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${OIDF_SUITE}/api/${path}?${new URLSearchParams(query)}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}
