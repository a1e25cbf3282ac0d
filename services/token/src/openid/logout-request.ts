import { Refusal } from '@gatehouse/kit/errors'
import type { Client } from '../clients/client-authentication.ts'
import { isRegisteredRedirectUri } from '../clients/redirect-uri.ts'
import type { ReadIdToken } from './id-token.ts'

/** A client's request to log its user out (OpenID Connect RP-Initiated Logout section 2). */
export type LogoutRequest = {
  idTokenHint?: string | undefined
  clientId?: string | undefined
  postLogoutRedirectUri?: string | undefined
}

/** A logout request that may be acted upon. */
export type CheckedLogout = {
  /** undefined when the request names none, or one that is unknown or disabled. */
  client: Client | undefined
  /** The user and the session of the hint. Anybody may have sent it, so it proves nothing. */
  hint: { userId: string; sessionId: string } | undefined
}

/** The needs of checking logout requests. */
export type LogoutRequestDeps = {
  readIdToken: ReadIdToken
  /** Whether nobody can tell any more if this server signed the ID token, because its key is gone. */
  isOfUnknownKey(idToken: string): Promise<boolean>
  findClient(clientId: string): Promise<Client | undefined>
}

/**
 * Checks a logout request. It ends nothing.
 * @throws Refusal invalid_request when the hint is not an ID token of this server or of another client, or when the client has not
 *   registered the URI: then the browser must not be redirected (section 3)
 */
export async function checkLogout(
  { idTokenHint, clientId, postLogoutRedirectUri: uri }: LogoutRequest,
  { readIdToken, isOfUnknownKey, findClient }: LogoutRequestDeps,
): Promise<CheckedLogout> {
  // An expired one is accepted: the user may log out long after they logged in (section 2).
  const hint = idTokenHint ? await readIdToken(idTokenHint) : undefined
  const unread = hint ? undefined : idTokenHint
  // The ID token of a login before a rotation of the keys is no fault of the app. It counts as not sent.
  const outlived = unread && (await isOfUnknownKey(unread))
  if (unread && !outlived)
    throw new Refusal('invalid_request', 'The id_token_hint is not an ID token of this server.')
  if (hint && clientId && clientId !== hint.clientId)
    throw new Refusal('invalid_request', 'The id_token_hint was issued to another client than client_id.')
  const named = hint?.clientId ?? clientId
  const found = named ? await findClient(named) : undefined
  const client = found?.disabled ? undefined : found
  if (outlived && client === undefined) return { client, hint }
  if (uri && !isRegisteredRedirectUri(uri, client?.metadata.post_logout_redirect_uris ?? []))
    throw new Refusal('invalid_request', 'The post_logout_redirect_uri is not registered for the client.')
  return { client, hint }
}
