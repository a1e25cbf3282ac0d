import { Refusal, toRefusal } from '@gatehouse/kit/errors'
import { grants as definitions, type GrantType, isGrantType } from '@gatehouse/proto/grants'
import {
  type ClientIdentificationDeps,
  isPublic,
  NotAuthenticated,
  type Presented,
} from '../clients/client-authentication.ts'
import { type CurrentClientDeps, decideByClient } from '../clients/client-change.ts'
import { KeysNeeded } from '../clients/public-keys/fetched-keys.ts'
import { authenticateClient, identifyClient } from '../clients/sender.ts'
import type { IssuedToken } from '../tokens/issued-token.ts'
import type { Usage } from '../tokens/usage.ts'
import { type AuthorizationCodeGrantDeps, authorizationCode } from './authorization-code.ts'
import { type ClientCredentialsGrantDeps, clientCredentials } from './client-credentials.ts'
import type { Grant, GrantRequest } from './grant.ts'
import { type PasswordGrantDeps, password } from './password.ts'
import { type RefreshTokenGrantDeps, refreshToken } from './refresh-token.ts'

/** The needs of all grants of the table. */
export type GrantDeps = { usage: Usage } & ClientIdentificationDeps &
  CurrentClientDeps &
  AuthorizationCodeGrantDeps &
  ClientCredentialsGrantDeps &
  RefreshTokenGrantDeps &
  PasswordGrantDeps

/** The module of each grant in proto/grants.ts. */
const grants = {
  authorization_code: authorizationCode,
  client_credentials: clientCredentials,
  refresh_token: refreshToken,
  password,
} satisfies Record<GrantType, Grant<GrantDeps>>

/** A request to the token endpoint. */
export type TokenRequest = GrantRequest & {
  grantType: string
  presented: Presented
}

/**
 * Issues tokens (RFC 6749 section 3.2): checks that the grant is enabled, identifies the client, checks that it may use the
 * grant, and then runs the grant.
 * @throws Refusal unsupported_grant_type, invalid_client, unauthorized_client, and the grant's own error codes; KeysNeeded
 */
export async function issueTokens(request: TokenRequest, deps: GrantDeps): Promise<IssuedToken> {
  const { credentials } = request.presented
  // Own keys only: `constructor` is no grant.
  const grantType = isGrantType(request.grantType) ? request.grantType : undefined
  /** The client, once it is known. */
  const sender: KnownSender = { clientId: undefined }
  try {
    if (grantType === undefined) throw new Refusal('unsupported_grant_type')
    if (!deps.enabledGrants.has(grantType)) {
      throw new Refusal('unsupported_grant_type', `The grant ${grantType} is switched off on this server.`)
    }
    const token = await decideByClient(credentials, deps, () => issueOnce(grantType, request, sender, deps))
    deps.usage.issued(grantType, sender.clientId ?? '')
    return token
  } catch (error) {
    // The same request comes once more.
    if (error instanceof KeysNeeded) throw error
    deps.usage.refused(grantType ?? 'unknown', toRefusal(error).code, sender.clientId)
    throw error
  }
}

type KnownSender = { clientId: string | undefined }

async function issueOnce(
  grantType: GrantType,
  request: TokenRequest,
  sender: KnownSender,
  deps: GrantDeps,
): Promise<IssuedToken> {
  const identify = definitions[grantType].confidential ? authenticateClient : identifyClient
  const { client, proof } = await identify(request.presented, deps)
  sender.clientId = client.clientId
  const mayUse = client.grantTypes.has(grantType)
  const validated = () => {
    if (mayUse && !isPublic(client))
      deps.emit('client_validated', { clientId: client.clientId, metadata: {} })
  }
  try {
    if (!mayUse)
      throw new Refusal('unauthorized_client', `The client is not registered for the grant ${grantType}.`)
    if (proof === undefined) validated()
    const token = await grants[grantType].issue(
      client,
      proof === undefined ? request : { ...request, proof },
      deps,
    )
    if (proof !== undefined) validated()
    return token
  } catch (error) {
    if (proof !== undefined && isAnswer(error)) {
      await deps.proofs.spend(proof)
      validated()
    }
    throw error
  }
}

/** Whether an error tells the sender that they are the client: then what they presented counts no more. */
function isAnswer(error: unknown): boolean {
  return !(error instanceof NotAuthenticated) && toRefusal(error).httpStatus < 500
}
