import { browse, logIn } from '@gatehouse/test/browser/browser-login'
import { addressOf, kubectl, pods, secretValue, settled, until, upgrade } from '../cluster.ts'
import { expectThat, type Found, type Step, seconds } from '../findings.ts'
import { askForToken, send, theClient, type Way } from '../gateway.ts'
import { siteThrough } from '../site.ts'
import { certificate, gateways, startTraefik, stopTraefik } from '../traefik.ts'
import { replaceAll } from './replace.ts'
import { makeStranger } from './strangers.ts'

const host = 'auth.example.com'
const baseUrl = `https://${host}`
const strangers = 'strangers'

/** Only Traefik reaches the gateways, as the README of the chart says. */
const only = `networkPolicy.gatewayFrom[0].namespaceSelector.matchLabels.kubernetes\\.io/metadata\\.name=${gateways}`

const byIngress = [
  'ingress.enabled=true',
  'ingress.className=traefik',
  `ingress.host=${host}`,
  `ingress.tls.secretName=${certificate}`,
]
const byRoute = [
  'ingress.enabled=false',
  'httpRoute.enabled=true',
  `httpRoute.hostnames={${host}}`,
  'httpRoute.parentRefs[0].name=public',
  `httpRoute.parentRefs[0].namespace=${gateways}`,
]

export const ingress: Step = {
  name: 'ingress',
  title: 'The public address: an Ingress, then a route of the Gateway API, by Traefik with TLS',
  async run(found) {
    try {
      const ways = await startTraefik(host)
      await upgrade(only, ...byIngress)
      await settled()
      await tryAddress(found, 'Ingress', ways)
      await upgrade(...byRoute)
      await settled()
      await tryAddress(found, 'HTTPRoute', ways)
    } finally {
      await upgrade('ingress.enabled=false', 'httpRoute.enabled=false', 'networkPolicy.gatewayFrom=[]')
      await settled()
      await stopTraefik()
    }
  },
}

/** Tries all that the public address is for. */
async function tryAddress(found: Found, kind: string, { secure, plain }: { secure: Way; plain: Way }) {
  const client = await theClient()
  const way = secure
  const isAnswered = async () => {
    const { status, error } = await askForToken(client, { way })
    expectThat(status === 200, `${status} ${error}`)
    return true
  }
  const took = await until(`a token through the ${kind}`, isAnswered, 30_000)
  found(`${kind}: the first token by https, after the gateways had their new address`, seconds(took))
  await lookAtMetadata(way)
  found(`${kind}: the server's metadata`, `the issuer is ${baseUrl}, and all addresses begin with it`)
  const { status, headers } = await send('/auth/login', { way: plain, headers: { host } })
  expectThat(headers.location === `${baseUrl}/auth/login`, `http: ${status} ${headers.location}`)
  found(`${kind}: the login page by http`, `${status} to https`)
  found(`${kind}: callers`, await lookAtCallers(kind.toLowerCase(), way))
  const restart = () => kubectl('rollout', 'restart', 'deployment/gatehouse-gateway')
  const replaced = await replaceAll(`${kind}: both gateways are replaced`, restart, {
    names: ['gateway'],
    way,
  })
  found(`${kind}: kubectl rollout restart of the gateways, under load through it`, replaced)
}

/** The metadata names the public address everywhere. */
async function lookAtMetadata(way: Way): Promise<void> {
  const { status, text } = await send('/.well-known/oauth-authorization-server', { way })
  expectThat(status === 200, `the metadata: ${status} ${text}`)
  const metadata: Record<string, unknown> = JSON.parse(text)
  expectThat(metadata.issuer === baseUrl, `the issuer is ${metadata.issuer}`)
  const others = Object.entries(metadata).filter(
    ([, value]) => typeof value === 'string' && /^https?:/.test(value) && !value.startsWith(`${baseUrl}`),
  )
  expectThat(others.length === 0, `the metadata has other addresses: ${JSON.stringify(others)}`)
}

/**
 * A caller whose address is their own: it is written down, limits count it, and X-Forwarded-For does not change it.
 * @param name the name of the caller's pod
 */
async function lookAtCallers(name: string, way: Way): Promise<string> {
  await makeStranger(name, strangers)
  const [address] = (await pods(undefined, strangers)).flatMap(({ metadata, status }) =>
    metadata.name === name ? [status.podIP] : [],
  )
  const inCaller = (script: string) => kubectl('-n', strangers, 'exec', name, '--', 'bash', '-c', script)
  const curl = `curl --silent --insecure --resolve ${host}:443:${way.host} --output /dev/null --write-out '%{http_code}\\n'`
  try {
    const form = `--data 'username=${name}&password=wrong' -H 'Origin: ${baseUrl}' -H 'X-Forwarded-For: 203.0.113.1'`
    const login = await inCaller(`${curl} ${form} ${baseUrl}/auth/login`)
    expectThat(/^(401|400|422|200)/.test(login), `a wrong login: ${login}`)
    const seen = await loginsFrom(way, address ?? '')
    expectThat(seen > 0, `no failed login is listed for the caller's address ${address}`)

    const many = `for n in {1..15}; do ${curl} -H "X-Forwarded-For: 203.0.113.$n" '${baseUrl}/oauth/authorize'; done`
    const statuses = (await inCaller(many)).trim().split('\n')
    expectThat(statuses.at(-1) === '429', `requests with an address of their own each: ${statuses}`)
    const other = await send('/oauth/authorize', { way })
    expectThat(other.status !== 429, 'the limit of one caller holds for another one')

    const direct = await addressOf('gatehouse-gateway')
    const past = await inCaller(`${curl} --max-time 3 http://${direct}/health || true`)
    expectThat(past.startsWith('000'), `a caller reaches the gateway past Traefik: ${past}`)
  } finally {
    await kubectl('-n', strangers, 'delete', 'pod', name)
  }
  return 'logins and limits have their own addresses, whatever they send as X-Forwarded-For; nobody else reaches the gateways'
}

/** How many failed logins from an address the administrators see. They log in through the same way. */
async function loginsFrom(way: Way, address: string): Promise<number> {
  const site = siteThrough(baseUrl, way)
  const page = await browse(site, new Map(), '/auth/login')
  expectThat(page.status === 200, `the login page: ${page.status}`)
  const jar = await logIn(site, 'admin', await secretValue('gatehouse-secrets', 'OAUTH2_SEED_PASSWORD'))
  const query = new URLSearchParams({ kind: 'login', outcome: 'failed', ip_address: address })
  const answer = await browse(site, jar, `/admin/api/activity?${query}`, {
    headers: { accept: 'application/json', 'sec-fetch-site': 'same-origin' },
  })
  const text = await answer.text()
  expectThat(answer.status === 200, `the activity: ${answer.status} ${text}`)
  return JSON.parse(text).items.length
}
