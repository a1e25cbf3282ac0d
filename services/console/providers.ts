/** The operation that says how the providers of logins are called. */
type Operation = { 'x-gatehouse-providers': Readonly<Record<string, string>> }

/** The names of the providers of logins for people, by those of the API. @param document the OpenAPI document */
export function providersOf(document: {
  paths: { '/auth/login/{provider}': { get: Operation } }
}): Readonly<Record<string, string>> {
  return document.paths['/auth/login/{provider}'].get['x-gatehouse-providers']
}
