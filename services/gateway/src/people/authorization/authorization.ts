import { parseForm, valuesOf } from '@gatehouse/http/form'
import type { AuthorizationRequest } from '@gatehouse/proto/token/v1'
import type { Texts } from '../texts/table.ts'

/** An authorization request (RFC 6749 section 4.1.1) as it came in, and the state that goes back with the answer. */
export type ReceivedAuthorization = { request: AuthorizationRequest; state: string | undefined }

/**
 * Reads an authorization request.
 * @param query the part of the URL after `?`
 * @param resourceIndicators whether `resource` counts, and may be repeated (RFC 8707)
 * @throws Refusal invalid_request when it is malformed or repeats a parameter
 */
export function readAuthorization(query: string, resourceIndicators: boolean): ReceivedAuthorization {
  return authorizationIn(parseForm(query, resourceIndicators ? 'resource' : undefined), resourceIndicators)
}

/** The same of a form that was parsed. */
export function authorizationIn(
  form: Readonly<Record<string, string>>,
  resourceIndicators: boolean,
): ReceivedAuthorization {
  return {
    request: {
      responseType: form.response_type,
      clientId: form.client_id,
      redirectUri: form.redirect_uri,
      scope: form.scope,
      codeChallenge: form.code_challenge,
      codeChallengeMethod: form.code_challenge_method,
      openid: openidParametersIn(form),
      resources: resourceIndicators ? valuesOf(form.resource) : [],
      organization: form.organization,
      requestUri: form.request_uri,
    },
    state: form.state,
  }
}

/** The parameters that OpenID Connect adds (Core section 3.1.2.1), and those of which it says how to refuse them. */
const openidParameters = [
  'nonce',
  'prompt',
  'max_age',
  'acr_values',
  'id_token_hint',
  'login_hint',
  'ui_locales',
  'claims',
  'response_mode',
  'request',
  'request_uri',
  'registration',
]

function openidParametersIn(form: Readonly<Record<string, string>>): Record<string, string> {
  const sent = openidParameters.map((name) => [name, form[name]] as const)
  return Object.fromEntries(sent.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/**
 * The URL that brings an answer to the client (RFC 6749 section 4.1.2). It keeps the redirect URI's own query, and `iss`
 * identifies this server (RFC 9207).
 */
export function answerAddress(
  response: { redirectUri: string; state?: string | undefined },
  issuer: string,
  answer: Record<string, string>,
): string {
  return withParameters(response.redirectUri, answerParameters(response, issuer, answer))
}

/** The parameters of an answer, with `iss`, which identifies this server (RFC 9207). */
export function answerParameters(
  { state }: { state?: string | undefined },
  issuer: string,
  answer: Record<string, string>,
): Record<string, string> {
  return { ...answer, ...(state !== undefined && { state }), iss: issuer }
}

/** Adds parameters to the query of a redirect URI. */
export function withParameters(redirectUri: string, parameters: Record<string, string>): string {
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  if (query.length === 0) return redirectUri
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&'
  return `${redirectUri}${separator}${query.join('&')}`
}

/**
 * The source for form-action in a Content-Security-Policy that lets a form's answer reach this redirect URI: its scheme.
 * Chromium (tried with 156) checks form-action against every redirect that follows a form, not only the first. With the
 * origin, an app that redirects from its redirect URI to another of its hosts, as many do, would never load.
 * Private-use schemes have no origin. `http:` also covers `https:`.
 */
export function formTarget(redirectUri: string): string {
  return new URL(redirectUri).protocol
}

/** A redirect's destination as people see it: its host, or the app's scheme. */
export function destinationOf(redirectUri: string, { consent }: Pick<Texts, 'consent'>): string {
  const { host, protocol } = new URL(redirectUri)
  // After a private-use scheme, the part that looks like a host can be anything: `com.evil.app://bank.example`.
  return /^https?:$/.test(protocol) ? host : consent.appOfScheme(protocol.slice(0, -1))
}
