import { Refusal } from '@gatehouse/kit/errors'
import { isGrantType } from '@gatehouse/proto/grants'
import { checkChosenId, secretFault, secretNotes } from './chosen-credentials.ts'
import { openScopes, publicMethod } from './metadata.ts'
import { changeMetadata } from './metadata-document.ts'
import type { KeptCredentials, NewClientDeps, RegistrationRequest } from './registration.ts'

/** A client as another system had it. */
export type ImportedClient = {
  /** Empty for a new id. */
  clientId: string
  /** Empty for a new secret, if it needs one. */
  clientSecret: string
  registration: RegistrationRequest
  firstParty: boolean
  disabled: boolean
  /** undefined for now. */
  createdAt: Date | undefined
}

/** The scopes that a client may have. */
export type KnownNames = { scopes: ReadonlySet<string> }

/** A client without what this server does not have. */
type Prepared = {
  registration: RegistrationRequest
  kept: KeptCredentials
  /** What was left out, as sentences. */
  notes: string[]
}

/**
 * Leaves out of an imported client what this server does not have, as other systems have other scopes and grants. The scope
 * `admin` is left out too: elsewhere it meant something else, here it administers the server.
 * @throws Refusal invalid_request, for what cannot be left out
 */
export function prepareImportedClient(
  { clientId, clientSecret, registration, createdAt }: ImportedClient,
  { scopes }: KnownNames,
  deps: Pick<NewClientDeps, 'openid'> & { now(): number },
): Prepared {
  if (clientId !== '') checkChosenId(clientId)
  const time = createdAt?.getTime()
  if (time !== undefined && !(time >= 0 && time <= deps.now()))
    refuse('created_at must be a time from 1970 until now')
  const scope = split((registration.scope ?? '').split(/\s+/).filter(Boolean), (word) =>
    openScopes(scopes).has(word),
  )
  const grants = split(registration.grantTypes, isGrantType)
  if (grants.kept.length === 0 && grants.leftOut.length > 0)
    refuse(`grant_types has only grants that this server does not have: ${shown(grants.leftOut)}`)
  const metadata = readableMetadata(registration.metadata, deps.openid)
  const secret = registration.tokenEndpointAuthMethod === publicMethod ? undefined : keptSecret(clientSecret)
  return {
    registration: {
      ...registration,
      scope: scope.kept.join(' '),
      grantTypes: grants.kept,
      metadata: metadata.kept,
    },
    kept: { clientId: clientId || undefined, clientSecret: secret?.kept },
    notes: [
      ...leftOutNote('scopes', scope.leftOut),
      ...leftOutNote('grants', grants.leftOut),
      ...metadata.faults.map((fault) => `Left out: ${fault}`),
      ...(secret?.note ? [secret.note] : []),
    ],
  }
}

function split(words: readonly string[], isKept: (word: string) => boolean) {
  return { kept: words.filter(isKept), leftOut: words.filter((word) => !isKept(word)) }
}

function leftOutNote(what: string, words: readonly string[]): string[] {
  return words.length === 0 ? [] : [`Left out ${what}: ${shown(words)}.`]
}

/** A few of the words, so that a note stays short. */
function shown(words: readonly string[]): string {
  const few = words.slice(0, 10).map((word) => word.slice(0, 50))
  return few.join(', ') + (words.length > few.length ? ', …' : '')
}

/** The fields that are valid, and what is wrong with the others. */
function readableMetadata(sent: RegistrationRequest['metadata'], openid: boolean) {
  const faults: string[] = []
  const kept = Object.entries(sent ?? {}).filter(([name, value]) => {
    try {
      changeMetadata({}, { [name]: value }, 'administrators', openid)
      return true
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      faults.push(error.description)
      return false
    }
  })
  return { kept: Object.fromEntries(kept), faults }
}

/** The secret if the client may keep it, otherwise why not. */
function keptSecret(clientSecret: string): { kept: string | undefined; note: string } {
  if (clientSecret === '') return { kept: undefined, note: '' }
  const fault = secretFault(clientSecret)
  if (fault) return { kept: undefined, note: secretNotes[fault] }
  return { kept: clientSecret, note: '' }
}

function refuse(description: string): never {
  throw new Refusal('invalid_request', `${description}.`)
}
