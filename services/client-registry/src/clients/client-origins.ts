import { webOriginsOf } from '@gatehouse/proto/web-origins'

/** A client as far as the origins of its pages go. */
export type ClientWithPages = {
  clientId: string
  redirectUris: readonly string[]
  /** The origins that an administrator named; undefined for those of the redirect URIs. */
  allowedOrigins: readonly string[] | undefined
}

/** Reads the enabled clients that may have pages. */
export type ClientOriginStore = {
  /** Names the state of all clients that `clients` gives together; differs after every change of one. */
  version(): Promise<string>
  /** Those of administrators, at most `mostOrigins`. Strangers could fill a list of those that registered themselves. */
  clients(): Promise<ClientWithPages[]>
  /** The redirect URIs of one that registered itself, unless an administrator named its origins; empty for every other one. */
  redirectUrisOfRegistered(clientId: string): Promise<readonly string[]>
}

/** The origins of a client's pages. */
export type ClientOrigins = { clientId: string; origins: string[] }

/** How many origins an answer has at most, those of each client counted apart, and how many characters. */
export const mostOrigins = 10_000
const mostCharacters = 4_000_000

/**
 * Gives the origins whose pages may call the server for clients of administrators (the Fetch standard's CORS protocol), if they have
 * changed.
 * @param known the version that the caller knows, if any
 * @returns no clients when that is the current version
 */
export async function lookupClientOrigins(
  known: string | undefined,
  store: ClientOriginStore,
): Promise<{ version: string; clients: ClientOrigins[]; incomplete: boolean }> {
  const version = await store.version()
  if (version === known) return { version, clients: [], incomplete: false }
  const found = await store.clients()
  const clients: ClientOrigins[] = []
  let origins = 0
  let characters = 0
  for (const client of found) {
    const own = webOriginsOf(client.allowedOrigins ?? client.redirectUris)
    origins += own.length
    characters += [client.clientId, ...own].reduce((sum, { length }) => sum + length, 0)
    if (origins > mostOrigins || characters > mostCharacters) return { version, clients, incomplete: true }
    if (own.length > 0) clients.push({ clientId: client.clientId, origins: own })
  }
  return { version, clients, incomplete: found.length >= mostOrigins }
}

/**
 * Whether pages of an origin may call the server for a client that registered itself: it has redirect URIs there.
 * @param open whether anybody may register a client; otherwise only an administrator makes the origins of one count
 */
export async function listsOrigin(
  { clientId, origin }: { clientId: string; origin: string },
  { open, store }: { open: boolean; store: ClientOriginStore },
): Promise<boolean> {
  return open && webOriginsOf(await store.redirectUrisOfRegistered(clientId)).includes(origin)
}
