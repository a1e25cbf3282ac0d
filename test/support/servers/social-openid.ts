import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Provider from 'oidc-provider'
import {
  type Answer,
  type StandIn,
  sendJson,
  sendQuestion,
  standInClient,
  startStandIn,
} from './social-stand-in.ts'

/** A signing key of a provider. */
export type SigningKey = { kid: string; privateKey: KeyObject; issuer?: string }

/** The claims of an id_token. */
export type Claims = Record<string, unknown>

/** An OpenID Connect provider: oidc-provider, behind a website that can make it misbehave. */
export type OpenIdStandIn = StandIn & {
  issuer: string
  /** Its issuer, as the configuration names it. */
  configuredIssuer: string
  /** The person who logs in there. */
  person: Claims & { sub: string }
  /** The keys that it publishes, and the key with which it signs. */
  keys: SigningKey[]
  signer: SigningKey
  /** Changes each id_token before it is signed. */
  tamper(claims: Claims): Claims
  /** Makes each id_token from its claims, instead of signing it as usual. */
  forge: ((claims: Claims) => string) | undefined
  /** The public JWK with which Gatehouse authenticates; undefined: it does so with its secret. Register a redirect URI after a change. */
  publicKey: Claims | undefined
  /** Registers a redirect URI of Gatehouse. Before that, the provider has no client. */
  register(redirectUri: string): void
}

/** The tenant of the substitute for Microsoft. */
export const tenant = '11111111-2222-4333-8444-555555555555'

/** Creates a key. */
export function makeKey(kid: string, issuer?: string): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { kid, privateKey, ...(issuer && { issuer }) }
}

/**
 * Starts a provider.
 * @param kind with microsoft its metadata belongs to all tenants, and its tokens to one
 */
export async function startOpenIdStandIn(kind: 'google' | 'microsoft'): Promise<OpenIdStandIn> {
  const prefix = kind === 'microsoft' ? `/${tenant}/v2.0` : ''
  const multiTenant = '/common/v2.0/.well-known/openid-configuration'
  let provider: Provider | undefined
  const first = makeKey('first')

  const answer: Answer = async (request, response, body) => {
    const path = new URL(request.url ?? '/', 'http://stand-in.invalid').pathname
    if (!provider) return sendJson(response, { error: 'not registered' }, 404)
    if (path === `${prefix}/jwks`) return sendJson(response, { keys: standIn.keys.map(publicJwk) })
    const interaction = path.startsWith(`${prefix}/interaction/`)
    if (interaction) return answerInteraction(request, response)
    let originalUrl = request.url ?? '/'
    if (path === multiTenant) {
      originalUrl = `${prefix}/.well-known/openid-configuration`
      changeBody(response, ({ authorization_response_iss_parameter_supported: _, ...metadata }) => ({
        ...metadata,
        issuer: `${standIn.origin}/{tenantid}/v2.0`,
      }))
    }
    if (path === `${prefix}/token`) changeBody(response, signedAnew)
    // The fields that oidc-provider expects when it is mounted below a path and the body was read already.
    Object.assign(request, { originalUrl, url: originalUrl.slice(prefix.length), body })
    provider.callback()(request, response)
  }

  function answerInteraction(request: IncomingMessage, response: ServerResponse) {
    const address = new URL(request.url ?? '/', 'http://stand-in.invalid')
    const decision = address.searchParams.get('answer')
    if (decision === null) return sendQuestion(response, `${address.pathname}?`)
    const result =
      decision === 'allow' ? { login: { accountId: standIn.person.sub } } : { error: 'access_denied' }
    return provider?.interactionFinished(request, response, result)
  }

  function signedAnew(tokens: Claims): Claims {
    if (typeof tokens.id_token !== 'string') return tokens
    const payload = Buffer.from(tokens.id_token.split('.')[1] ?? '', 'base64url').toString()
    const claims = standIn.tamper(JSON.parse(payload))
    return { ...tokens, id_token: standIn.forge?.(claims) ?? signJwt(claims, standIn.signer) }
  }

  const base = await startStandIn(answer)
  const issuer = `${base.origin}${prefix}`
  const standIn: OpenIdStandIn = Object.assign(base, {
    issuer,
    configuredIssuer: kind === 'microsoft' ? `${base.origin}/common/v2.0` : issuer,
    person: {
      sub: 'person-1',
      name: 'Ann Example',
      ...(kind === 'microsoft' && { tid: tenant, oid: 'oid-1' }),
    },
    keys: [first],
    signer: first,
    tamper: (claims: Claims) => claims,
    forge: undefined,
    publicKey: undefined,
    register(redirectUri: string) {
      provider = new Provider(issuer, configuration(standIn, prefix, redirectUri, first))
    },
  })
  return standIn
}

function configuration(standIn: OpenIdStandIn, prefix: string, redirectUri: string, key: SigningKey) {
  const { clientId, clientSecret } = standInClient
  const credentials =
    standIn.publicKey === undefined
      ? { client_secret: clientSecret }
      : { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [standIn.publicKey] } }
  return {
    clients: [{ client_id: clientId, ...credentials, redirect_uris: [redirectUri] }],
    jwks: { keys: [{ ...key.privateKey.export({ format: 'jwk' }), kid: key.kid }] },
    claims: {
      openid: ['sub', 'tid', 'oid', 'groups'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name', 'preferred_username', 'picture', 'locale', 'xms_edov'],
    },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: { keys: ['a key of the stand-in'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `${prefix}/interaction/${uid}` },
    findAccount: async (_: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ ...standIn.person, sub }),
    }),
    loadExistingGrant: allowAll,
    clientBasedCORS: () => false,
    ttl: {
      Interaction: 600,
      Session: 600,
      Grant: 600,
      IdToken: 600,
      AccessToken: 600,
      AuthorizationCode: 60,
    },
  }
}

type GrantContext = {
  oidc: {
    client: { clientId: string }
    session: { accountId: string }
    provider: { Grant: new (about: object) => { addOIDCScope(scope: string): void; save(): Promise<string> } }
  }
}

/** Users of the provider are not asked for consent. */
async function allowAll({ oidc: { client, session, provider } }: GrantContext) {
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope('openid email profile')
  await grant.save()
  return grant
}

/** Signs a JWT with RS256. */
export function signJwt(claims: Claims, { kid, privateKey }: SigningKey): string {
  const head = encode({ alg: 'RS256', typ: 'JWT', kid })
  const signed = `${head}.${encode(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
}

/** A part of a JWT. */
export function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function publicJwk({ kid, privateKey, issuer }: SigningKey) {
  const key = createPublicKey(privateKey).export({ format: 'jwk' })
  return { ...key, kid, use: 'sig', alg: 'RS256', ...(issuer && { issuer }) }
}

/** Changes a JSON answer before it is sent. */
function changeBody(response: ServerResponse, change: (body: Claims) => Claims): void {
  const end = response.end.bind(response) as (text: string) => ServerResponse
  response.end = ((chunk: unknown) => {
    const text = JSON.stringify(change(JSON.parse(String(chunk))))
    response.setHeader('content-length', Buffer.byteLength(text))
    return end(text)
  }) as ServerResponse['end']
}
