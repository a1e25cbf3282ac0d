import { hash } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import type { Client, ClientStore } from './client.ts'
import { redirectUriFault } from './redirect-uri.ts'

/** What a client says of itself when it registers (RFC 7591 section 2). */
export type RegistrationRequest = {
  clientName?: string | undefined
  redirectUris: readonly string[]
  /** Empty: authorization_code alone. */
  grantTypes: readonly string[]
  /** Space-separated. */
  scope?: string | undefined
  tokenEndpointAuthMethod?: string | undefined
}

/** What registration needs. */
export type RegistrationDeps = {
  store: Pick<ClientStore, 'add'>
  /** Whether a client without a secret may register (token_endpoint_auth_method `none`). */
  publicClients: boolean
  /** The scopes that a client may register. */
  scopesSupported: ReadonlySet<string>
  randomUuid(): string
  randomBytes(size: number): Buffer
}

/** The grants that a client may register; two of them wait until they are switched on. */
const grantTypes = new Set(['authorization_code', 'client_credentials', 'refresh_token', 'password'])
/** What a client does who has no secret (RFC 7591 section 2). */
const publicMethod = 'none'
const confidentialMethods = ['client_secret_basic', 'client_secret_post']
/** What a client can only do with a secret (RFC 6749 section 4.4, and decided so for the password grant). */
const confidentialGrants = ['client_credentials', 'password']
const most = { redirectUris: 20, clientName: 200, scope: 1_000 }

/**
 * Registers a client.
 * @returns the client and its secret, which is not kept and cannot be shown again; a public client has none
 * @throws Refusal invalid_request naming the field, or invalid_scope
 */
export async function registerClient(
  request: RegistrationRequest,
  deps: RegistrationDeps,
): Promise<{ client: Client; clientSecret: string | undefined }> {
  const grants = [...new Set(request.grantTypes.length > 0 ? request.grantTypes : ['authorization_code'])]
  for (const grant of grants) {
    if (!grantTypes.has(grant))
      refuse(`grant_types has an unknown grant; known are ${[...grantTypes].join(', ')}`)
  }
  const redirectUris = [...new Set(request.redirectUris)]
  checkRedirectUris(redirectUris, grants)
  const scope = registrableScope(request.scope || defaultScope(deps.scopesSupported), deps.scopesSupported)
  const authMethod = request.tokenEndpointAuthMethod ?? 'client_secret_basic'
  checkAuthMethod(authMethod, grants, deps.publicClients)
  const clientId = `client_${deps.randomUuid()}`
  const clientName = request.clientName?.trim() || clientId
  if (clientName.length > most.clientName) refuse(`client_name is longer than ${most.clientName} characters`)
  if (hasControlCharacter(clientName)) refuse('client_name has a control character')

  // base64url, so that it is the same form-encoded or raw: clients disagree on which Basic authentication wants.
  const clientSecret = authMethod === publicMethod ? undefined : deps.randomBytes(32).toString('base64url')
  const client = await deps.store.add(
    { clientId, clientName, redirectUris, grantTypes: grants, scope, tokenEndpointAuthMethod: authMethod },
    clientSecret === undefined ? undefined : Uint8Array.from(hash('sha256', clientSecret, 'buffer')),
  )
  return { client, clientSecret }
}

function refuse(description: string): never {
  throw new Refusal('invalid_request', `${description}.`)
}

function checkRedirectUris(uris: readonly string[], grants: readonly string[]): void {
  if (uris.length === 0 && grants.includes('authorization_code')) {
    refuse('redirect_uris is required for the grant authorization_code')
  }
  if (uris.length > most.redirectUris) refuse(`redirect_uris has more than ${most.redirectUris} entries`)
  for (const [index, uri] of uris.entries()) {
    const fault = redirectUriFault(uri)
    if (fault) refuse(`redirect_uris[${index}] ${fault}`)
  }
}

function checkAuthMethod(method: string, grants: readonly string[], publicClients: boolean): void {
  const methods = publicClients ? [...confidentialMethods, publicMethod] : confidentialMethods
  if (!methods.includes(method)) refuse(`token_endpoint_auth_method must be one of ${methods.join(', ')}`)
  const impossible = grants.find((grant) => confidentialGrants.includes(grant))
  if (method === publicMethod && impossible) {
    refuse(`grant_types has ${impossible}, which needs a client with a secret`)
  }
}

/** `read`, unless this server does not know that scope. */
function defaultScope(supported: ReadonlySet<string>): string {
  const [first = ''] = supported
  return supported.has('read') ? 'read' : first
}

function registrableScope(scope: string, supported: ReadonlySet<string>): string {
  if (scope.length > most.scope) {
    throw new Refusal('invalid_scope', `scope is longer than ${most.scope} characters.`)
  }
  const words = scope.split(' ')
  if (!words.every((word) => supported.has(word))) {
    const known = [...supported].join(', ')
    throw new Refusal('invalid_scope', `scope must be words with one space between two, out of ${known}.`)
  }
  return [...new Set(words)].join(' ')
}

// The name stands on the consent page: it may neither turn the text around it (bidi controls) nor break the line.
function hasControlCharacter(text: string): boolean {
  return /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text)
}
