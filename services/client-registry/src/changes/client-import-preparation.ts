import { Refusal } from '@gatehouse/kit/errors'
import { isPublicMethod } from '@gatehouse/proto/client-authentication'
import { clientFieldEntries } from '@gatehouse/proto/client-metadata'
import { grants as grantTable, isGrantType } from '@gatehouse/proto/grants'
import { checkClientName, openScopes } from '../clients/metadata.ts'
import { changeMetadata } from '../clients/metadata-document.ts'
import { type RedirectUriRules, redirectUriFault } from '../clients/redirect-uri.ts'
import { checkChosenId, secretFault, secretNotes } from './chosen-credentials.ts'
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
  /** The parts that were left out, as sentences. */
  notes: string[]
}

/** The needs of the preparation. */
export type PreparationDeps = Pick<NewClientDeps, 'redirectUriRules'> & {
  /** The grants that are on. */
  grantTypes: readonly string[]
  now(): number
}

/**
 * Leaves out of an imported client what this server does not have, as other systems have other scopes and grants. The scope
 * `admin` is left out too: elsewhere it meant something else, here it administers the server.
 * @throws Refusal invalid_request, for a part that cannot be left out
 */
export function prepareImportedClient(
  { clientId, clientSecret, registration, createdAt }: ImportedClient,
  { scopes }: KnownNames,
  deps: PreparationDeps,
): Prepared {
  if (clientId !== '') checkChosenId(clientId)
  const time = createdAt?.getTime()
  if (time !== undefined && !(time >= 0 && time <= deps.now()))
    refuse('created_at must be a time from 1970 until now')
  const scope = split((registration.scope ?? '').split(/\s+/).filter(Boolean), (word) =>
    openScopes(scopes).has(word),
  )
  const isPublic = isPublicMethod(registration.tokenEndpointAuthMethod ?? '')
  const grants = split(
    registration.grantTypes,
    (grant) => isGrantType(grant) && !(isPublic && grantTable[grant].confidential),
  )
  if (grants.kept.length === 0 && grants.leftOut.length > 0)
    refuse(`grant_types has only grants that this server does not have: ${shown(grants.leftOut)}`)
  const uris = readableUris('redirect_uris', registration.redirectUris, deps.redirectUriRules)
  const metadata = readableMetadata(registration.metadata)
  const name = readableName(registration.clientName)
  const secret = isPublic ? undefined : keptSecret(clientSecret)
  const hasDefault = scope.kept.length === 0 && scope.leftOut.length > 0
  return {
    registration: {
      ...registration,
      clientName: name.kept,
      redirectUris: uris.kept,
      scope: scope.kept.join(' '),
      grantTypes: grants.kept,
      metadata: metadata.kept,
    },
    kept: { clientId: clientId || undefined, clientSecret: secret?.kept },
    notes: [
      ...leftOutNote('scopes', scope.leftOut),
      ...(hasDefault ? ['None of its scopes is left, so it has the default scope.'] : []),
      ...leftOutNote('grants', grants.leftOut),
      ...offNotes(grants.kept, deps.grantTypes),
      ...[...name.faults, ...uris.faults, ...metadata.faults].map((fault) => `Left out: ${fault}`),
      ...(secret?.note ? [secret.note] : []),
    ],
  }
}

/** Grants that the client keeps and cannot use, because they are off on this server. */
function offNotes(kept: readonly string[], on: readonly string[]): string[] {
  const off = kept.filter((grant) => !on.includes(grant))
  return off.length === 0 ? [] : [`Kept, but off on this server: the grants ${shown(off)}.`]
}

/** The URIs that may be registered, and what is wrong with the others. If none may, all are kept, so that they are refused. */
function readableUris(field: string, uris: readonly string[], rules: RedirectUriRules) {
  const faults = uris.flatMap((uri, index) => {
    const fault = redirectUriFault(uri, rules)
    return fault ? [`${field}[${index}] ${fault}: ${shown([uri])}.`] : []
  })
  if (faults.length === uris.length) return { kept: uris, faults: [] }
  return { kept: uris.filter((uri) => redirectUriFault(uri, rules) === undefined), faults }
}

/** The name, if it is valid; otherwise the client is called by its id. */
function readableName(name: string | undefined): { kept: string | undefined; faults: string[] } {
  try {
    return { kept: name?.trim() ? checkClientName(name) : undefined, faults: [] }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { kept: undefined, faults: [error.description] }
  }
}

function split(words: readonly string[], isKept: (word: string) => boolean) {
  return { kept: words.filter(isKept), leftOut: words.filter((word) => !isKept(word)) }
}

function leftOutNote(what: string, words: readonly string[]): string[] {
  return words.length === 0 ? [] : [`Left out ${what}: ${shown(words)}.`]
}

/** The words, each cut, and at most 100 of them: a note has an end. */
function shown(words: readonly string[]): string {
  const few = words.slice(0, 100).map((word) => word.slice(0, 100))
  return few.join(', ') + (words.length > few.length ? ', …' : '')
}

/** Fields with addresses to which browsers are redirected. */
const uriFields = new Set<string>(
  clientFieldEntries
    .filter(([, field]) => field.kind === 'urls' && field.origins === undefined)
    .map(([name]) => name),
)

/** The fields that are valid, and what is wrong with the others. Administrators may set those of OpenID Connect in every profile. */
function readableMetadata(sent: RegistrationRequest['metadata']) {
  const faults: string[] = []
  const kept = Object.entries(sent ?? {}).flatMap(([name, value]): [string, unknown][] => {
    const uris =
      uriFields.has(name) && isTexts(value) ? readableUris(name, value, { bareSchemes: false }) : undefined
    faults.push(...(uris?.faults ?? []))
    const rest = uris?.kept ?? value
    try {
      changeMetadata({}, { [name]: rest }, 'administrators')
      return [[name, rest]]
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      faults.push(error.description)
      return []
    }
  })
  return { kept: Object.fromEntries(kept), faults }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

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
