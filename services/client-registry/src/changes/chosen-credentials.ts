import { Refusal } from '@gatehouse/kit/errors'

/** Characters that need no encoding in a URL or in Basic authentication; so it is never the address of a metadata document. */
const idPattern = /^[A-Za-z0-9._~@:+-]{1,200}$/
/** Browsers and programs leave the first two out of an address, and the third is the page for a new client: nobody could open it. */
const unreachableIds: ReadonlySet<string> = new Set(['.', '..', 'new'])
/** RFC 6749 appendix A.2: visible characters and the space. */
const secretPattern = /^[\x20-\x7e]+$/
/** In characters. Only a digest without a salt is stored, so a secret must be one that nobody can guess. */
const secretLength = { least: 20, most: 512 }

/** Looks up the ids of clients. */
export type ClientIdStore = {
  /** Those of these ids that clients have. */
  findExisting(clientIds: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Those of these ids that this server gave to clients which were deleted, except those that nobody had used: their tokens are revoked for
   * ever.
   */
  findDeleted(clientIds: readonly string[]): Promise<ReadonlySet<string>>
}

/** Checks the id that somebody chose for a client. @throws Refusal invalid_request */
export function checkChosenId(clientId: string): string {
  if (!idPattern.test(clientId))
    refuse('client_id must have 1 to 200 letters, digits or characters out of . _ ~ @ : + -')
  if (unreachableIds.has(clientId))
    refuse(`client_id must not be ${clientId}, which the pages for administrators cannot name`)
  return clientId
}

/** The needs of clients with chosen ids. */
export type FormerClientsDeps = {
  ids: ClientIdStore
  /**
   * Ends and forgets everything of deleted clients that had these ids, in all services, so that nothing that users gave them counts for the
   * new ones. Of each chosen id, because nobody knows whether a client had it: entries of the audit log may be deleted
   * (OAUTH2_AUDIT_LOG_DAYS), and clients that nobody used have none.
   * @throws Refusal temporarily_unavailable when a service is away
   */
  forgetClients(clientIds: readonly string[]): Promise<void>
}

/** Why a client cannot have the id or the name of a user, as the end of a sentence: its tokens would pass for theirs. */
export const usersIdFault = 'is the id or the name of a user: choose another one'

/** Checks the id that somebody chose for a client. @throws Refusal invalid_request for an id that a client has or had */
export async function freeId(clientId: string, ids: ClientIdStore): Promise<string> {
  checkChosenId(clientId)
  if ((await ids.findExisting([clientId])).has(clientId)) throw takenId()
  if ((await ids.findDeleted([clientId])).has(clientId))
    throw new Refusal(
      'invalid_request',
      'client_id was the id of a client that was deleted: choose another one.',
    )
  return clientId
}

/** The error for an id that a client has. */
export function takenId(): Refusal {
  return new Refusal('invalid_request', 'client_id is already taken.')
}

/** The fault of a secret that somebody chose for a client: it is too short, or else cannot be one; undefined for none. */
export function secretFault(clientSecret: string): 'short' | 'not ASCII' | undefined {
  const { length } = clientSecret
  if (length < secretLength.least) return 'short'
  return length > secretLength.most || !secretPattern.test(clientSecret) ? 'not ASCII' : undefined
}

/** Checks the secret that somebody chose for a client. @throws Refusal invalid_request */
export function checkChosenSecret(clientSecret: string): string {
  if (secretFault(clientSecret))
    refuse(`client_secret must have ${secretLength.least} to ${secretLength.most} visible ASCII characters`)
  return clientSecret
}

/** Why an import does not keep a secret, as a sentence. */
export const secretNotes = {
  short: `It has a new secret: the old one has fewer than ${secretLength.least} characters.`,
  'not ASCII': 'It has a new secret: the old one is too long or has other characters than ASCII.',
}

function refuse(description: string): never {
  throw new Refusal('invalid_request', `${description}.`)
}
