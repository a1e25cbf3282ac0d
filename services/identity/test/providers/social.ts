import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { type GitHubStandIn, startGitHubStandIn } from '@gatehouse/test/servers/social-github'
import { type OpenIdStandIn, startOpenIdStandIn } from '@gatehouse/test/servers/social-openid'
import { answerAt, standInClient } from '@gatehouse/test/servers/social-stand-in'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { SocialLoginDeps, SocialOutcome } from '../../src/providers/social-login.ts'
import { beginSocialLogin, finishSocialLogin } from '../../src/providers/social-login.ts'
import { configuredProviders } from '../../src/providers/table.ts'
import { useReplicas } from '../store/replica.ts'

const publicBaseUrl = 'https://auth.example'

/** A login that has begun: its provider, the address to which the browser is sent, and the browser's secret. */
export type Begun = { provider: string; address: string; browserSecret: string }

/** Starts stand-ins of the three providers, and replicas that log in through them. */
export function useSocialLogins(timeoutMs = 3_000) {
  const shared = useReplicas()
  const { log, lines } = recordedLog()
  const clock = { aheadMs: 0 }
  let standIns: { google: OpenIdStandIn; microsoft: OpenIdStandIn; github: GitHubStandIn } | undefined
  const all = () => {
    if (standIns === undefined) throw new Error('call this from a test: the stand-ins start in beforeAll')
    return standIns
  }
  let usual: { person: unknown; keys: unknown; signer: unknown }[] = []

  beforeAll(async () => {
    standIns = {
      google: await startOpenIdStandIn('google'),
      microsoft: await startOpenIdStandIn('microsoft'),
      github: await startGitHubStandIn(),
    }
    standIns.google.register(`${publicBaseUrl}/auth/callback/google`)
    standIns.microsoft.register(`${publicBaseUrl}/auth/callback/microsoft`)
    usual = [standIns.google, standIns.microsoft].map(({ person, keys, signer }) => ({
      person,
      keys,
      signer,
    }))
  })
  afterEach(() => {
    clock.aheadMs = 0
    for (const standIn of Object.values(all())) Object.assign(standIn, { trouble: 'none', troubledPath: '' })
    const well = { tamper: (claims: object) => claims, forge: undefined }
    for (const [index, standIn] of [all().google, all().microsoft].entries())
      Object.assign(standIn, { ...well, ...usual[index] })
    all().github.tokens.clear()
  })
  afterAll(() => Promise.all(Object.values(standIns ?? {}).map((standIn) => standIn.close())))

  /** The deps of a replica with all providers, whose caches are empty. */
  function deps(tenant = 'common'): SocialLoginDeps {
    const { google, microsoft, github } = all()
    const { clientId, clientSecret } = standInClient
    const config = {
      OAUTH2_GOOGLE_CLIENT_ID: clientId,
      OAUTH2_GOOGLE_CLIENT_SECRET: clientSecret,
      OAUTH2_GOOGLE_ISSUER: google.configuredIssuer,
      OAUTH2_MICROSOFT_CLIENT_ID: clientId,
      OAUTH2_MICROSOFT_CLIENT_SECRET: clientSecret,
      OAUTH2_MICROSOFT_ISSUER: microsoft.configuredIssuer,
      OAUTH2_MICROSOFT_TENANT_ID: tenant,
      OAUTH2_GITHUB_CLIENT_ID: clientId,
      OAUTH2_GITHUB_CLIENT_SECRET: clientSecret,
      OAUTH2_GITHUB_BASE_URL: github.origin,
      OAUTH2_GITHUB_API_URL: github.apiUrl,
    }
    const providers = configuredProviders(config, publicBaseUrl, {
      fetch,
      timeoutMs,
      now: () => Date.now() + clock.aheadMs,
    })
    return { ...shared.replica().social, log, providers }
  }

  async function begin(
    provider: string,
    of = deps(),
    { returnTo = '/account', again = false } = {},
  ): Promise<Begun> {
    const { authorizationUrl, browserSecret } = await beginSocialLogin({ provider, returnTo, again }, of)
    if (!authorizationUrl) throw new Error('the login did not begin')
    return { provider, address: authorizationUrl, browserSecret }
  }

  /** The query that the person's browser brings back from the provider. */
  async function comeBack(begun: Begun, answer: 'allow' | 'deny' = 'allow'): Promise<string> {
    const standIn = Object.values(all()).find(({ origin }) => begun.address.startsWith(origin))
    if (!standIn) throw new Error(`no stand-in has the address ${begun.address}`)
    const callback = await answerAt(standIn, begun.address, answer)
    const address = `${publicBaseUrl}/auth/callback/${begun.provider}`
    if (callback.origin + callback.pathname !== address) throw new Error(`it came back at ${callback}`)
    return callback.search.slice(1)
  }

  function finish(begun: Begun, query: string, of = deps(), changes: object = {}): Promise<SocialOutcome> {
    const callback = {
      provider: begun.provider,
      query,
      browserSecrets: [begun.browserSecret],
      ipAddress: '192.0.2.7',
      userAgent: 'A browser',
      previousSecret: undefined,
      ...changes,
    }
    return finishSocialLogin(callback, of)
  }

  /** Runs a whole login. */
  async function logIn(provider: string, of = deps()): Promise<SocialOutcome> {
    const begun = await begin(provider, of)
    return finish(begun, await comeBack(begun), of)
  }

  /** Runs a whole login of Microsoft's person in another tenant than the stand-in's. */
  async function logInFrom(tid: string, of = deps()): Promise<SocialOutcome> {
    const { microsoft } = all()
    const iss = `${microsoft.origin}/${tid}/v2.0`
    microsoft.tamper = (claims) => ({ ...claims, tid, iss })
    const begun = await begin('microsoft', of)
    const query = new URLSearchParams(await comeBack(begun))
    query.set('iss', iss)
    return finish(begun, query.toString(), of)
  }

  return { ...shared, logInFrom, lines, clock, standIns: all, deps, begin, comeBack, finish, logIn, log }
}

/** The user who was logged in. */
export function userOf(outcome: SocialOutcome) {
  if (outcome.outcome !== 'right') throw new Error(`the login was ${outcome.outcome}`)
  return outcome.session.session.user
}
