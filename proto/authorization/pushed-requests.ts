/** Whether clients may or must push their authorization requests (RFC 9126). */
export const pushedRequestModes = ['off', 'on', 'required'] as const

/** One of them: a value of OAUTH2_PUSHED_AUTHORIZATION_REQUESTS. */
export type PushedRequests = (typeof pushedRequestModes)[number]

/** How long a pushed request waits for the browser of its user, in seconds. The user then has as long as for any other request. */
export const pushedRequestLifetime = 60

/** The beginning of each request_uri (RFC 9126 section 2.2). */
const prefix = 'urn:ietf:params:oauth:request_uri:'

/** The `request_uri` of a pushed request. @param id that of its flow */
export function requestUriOf(id: string): string {
  return `${prefix}${id}`
}

/** The id in a `request_uri`; undefined when it is none of this server. */
export function idInRequestUri(requestUri: string): string | undefined {
  return requestUri.startsWith(prefix) ? requestUri.slice(prefix.length) : undefined
}
