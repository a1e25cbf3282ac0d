import { Refusal } from '@gatehouse/kit/errors'
import { isPublicMethod } from '@gatehouse/proto/client-authentication'
import { documentIn, type SentColumns } from '@gatehouse/proto/client-columns'
import { type ClientField, type ClientFieldName, clientFields } from '@gatehouse/proto/client-metadata'
import { grants as grantTable, isGrantType } from '@gatehouse/proto/grants'
import { checkField, type FieldRules, openScopes } from '../clients/client-field.ts'
import { isEmpty } from '../clients/metadata-rules.ts'
import { type RedirectUriRules, redirectUriFault } from '../clients/redirect-uri.ts'
import type { HasRole } from '../resource-servers/resource-role.ts'
import { checkChosenId, secretFault, secretNotes } from './chosen-credentials.ts'
import type { KeptCredentials, NewClientDeps } from './registration.ts'

/** A client as another system had it. */
export type ImportedClient = {
  /** undefined for a new id. */
  clientId?: string | undefined
  /** undefined for a new secret, if it needs one. */
  clientSecret?: string | undefined
  registration: SentColumns | undefined
  firstParty: boolean
  disabled: boolean
  /** undefined for now. */
  createdAt: Date | undefined
}

/** The scopes and roles that a client may have. */
export type KnownNames = { scopes: ReadonlySet<string>; hasRole?: HasRole }

/** A client without what this server does not have. */
type Prepared = {
  sent: SentColumns
  kept: KeptCredentials
  /** The parts that were left out, as sentences. */
  notes: string[]
}

/** The needs of the preparation. */
export type PreparationDeps = Pick<NewClientDeps, 'redirectUriRules' | 'methods'> & {
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
  { clientId, clientSecret, registration, firstParty, createdAt }: ImportedClient,
  { scopes, hasRole }: KnownNames,
  deps: PreparationDeps,
): Prepared {
  const sent: SentColumns = { ...registration, firstParty }
  if (clientId !== undefined) checkChosenId(clientId)
  const time = createdAt?.getTime()
  if (time !== undefined && !(time >= 0 && time <= deps.now()))
    refuse('created_at must be a time from 1970 until now')
  const scope = split((sent.scope ?? '').split(/\s+/).filter(Boolean), (word) => openScopes(scopes).has(word))
  const isPublic = isPublicMethod(sent.tokenEndpointAuthMethod ?? '')
  const grants = split(
    sent.grantTypes ?? [],
    (grant) => isGrantType(grant) && !(isPublic && grantTable[grant].confidential),
  )
  if (grants.kept.length === 0 && grants.leftOut.length > 0)
    refuse(`grant_types has only grants that this server does not have: ${shown(grants.leftOut)}`)
  const uris = readableUris('redirect_uris', sent.redirectUris ?? [], deps.redirectUriRules)
  const rules = { ...deps, scopes, hasRole }
  const metadata = readableMetadata(sent.metadata, rules)
  const name = readable('client_name', sent.clientName, rules)
  const secret = isPublic ? undefined : keptSecret(clientSecret)
  const hasDefault = scope.kept.length === 0 && scope.leftOut.length > 0
  return {
    sent: {
      ...sent,
      clientName: name.kept,
      redirectUris: uris.kept,
      scope: scope.kept.join(' '),
      grantTypes: grants.kept,
      metadata: metadata.kept,
    },
    kept: { clientId, clientSecret: secret?.kept },
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
function readableUris(field: string, uris: string[], rules: RedirectUriRules) {
  const faults = uris.flatMap((uri, index) => {
    const fault = redirectUriFault(uri, rules)
    return fault ? [`${field}[${index}] ${fault}: ${shown([uri])}.`] : []
  })
  if (faults.length === uris.length) return { kept: uris, faults: [] }
  return { kept: uris.filter((uri) => redirectUriFault(uri, rules) === undefined), faults }
}

/** The value of a field, if it is valid; otherwise the field has its default. */
function readable<Value>(name: ClientFieldName, value: Value, rules: FieldRules) {
  try {
    return { name, kept: isEmpty(name, value) ? undefined : checkField(name, value, rules), faults: [] }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { name, kept: undefined, faults: [error.description] }
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

/** The fields that are valid, and what is wrong with the others. Administrators may set those of OpenID Connect in every profile. */
function readableMetadata(metadata: SentColumns['metadata'], rules: FieldRules) {
  const sent = Object.entries(documentIn({ metadata })) as [ClientFieldName, unknown][]
  const found = sent.map(([name, value]) => {
    const field: ClientField = clientFields[name]
    const uris =
      field.kind === 'urls' && !field.origins && isTexts(value)
        ? readableUris(name, value, { bareSchemes: false })
        : { kept: value, faults: [] }
    const { kept, faults } = readable(name, uris.kept, rules)
    return { name, kept, faults: [...uris.faults, ...faults] }
  })
  return {
    kept: Object.fromEntries(found.map(({ name, kept }) => [name, kept])),
    faults: found.flatMap(({ faults }) => faults),
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** The secret if the client may keep it, otherwise why not. */
function keptSecret(clientSecret: string | undefined): { kept?: string; note?: string } {
  if (clientSecret === undefined) return {}
  const fault = secretFault(clientSecret)
  return fault ? { note: secretNotes[fault] } : { kept: clientSecret }
}

function refuse(description: string): never {
  throw new Refusal('invalid_request', `${description}.`)
}
