import { parseForm } from '@gatehouse/http/form'
import type { AuthorizationRequest } from '@gatehouse/proto/token/v1'

/** An authorization request (RFC 6749 section 4.1.1) as it came in, and what goes back with the answer. */
export type ReceivedAuthorization = { request: AuthorizationRequest; state: string | undefined }

/**
 * Reads an authorization request.
 * @param query the part of the address after `?`
 * @throws Refusal invalid_request when it is malformed or repeats a parameter
 */
export function readAuthorization(query: string): ReceivedAuthorization {
  const form = parseForm(query)
  return {
    request: {
      responseType: form.response_type ?? '',
      clientId: form.client_id ?? '',
      redirectUri: form.redirect_uri ?? '',
      scope: form.scope ?? '',
      codeChallenge: form.code_challenge ?? '',
      codeChallengeMethod: form.code_challenge_method ?? '',
    },
    state: form.state,
  }
}

/**
 * The address that brings an answer to the client (RFC 6749 section 4.1.2): the query that its redirect URI has stays,
 * and `iss` tells it who answered (RFC 9207).
 */
export function answerAddress(
  { redirectUri, state }: { redirectUri: string; state?: string | undefined },
  issuer: string,
  answer: Record<string, string>,
): string {
  const parameters = { ...answer, ...(state !== undefined && { state }), iss: issuer }
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&'
  return `${redirectUri}${separator}${query.join('&')}`
}

/**
 * What a form must be allowed to end up at for its answer to reach this redirect URI, as a Content-Security-Policy names it: the
 * scheme. Chromium (156 was tried) holds form-action against every redirect that follows a form, not against the first alone.
 * With the origin an app that goes on from its redirect URI to another of its hosts, as many do, is a page that never loads.
 * Private-use schemes have no origin. `http:` covers `https:`, too.
 */
export function formTarget(redirectUri: string): string {
  return new URL(redirectUri).protocol
}

/** A redirect's destination for people: its host, or the app's scheme. */
export function destinationOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri)
  // Behind a private-use scheme anything may stand where a host would: `com.evil.app://bank.example`.
  return /^https?:$/.test(protocol) ? host : `the app ${protocol.slice(0, -1)}`
}
