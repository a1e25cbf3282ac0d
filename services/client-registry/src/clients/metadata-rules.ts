import { Refusal } from '@gatehouse/kit/errors'
import { hasKeys, isPublicMethod } from '@gatehouse/proto/client-authentication'
import {
  type ClientColumns,
  type ClientDocument,
  columnsIn,
  documentIn,
  type SentColumns,
} from '@gatehouse/proto/client-columns'
import {
  type ClientDecider,
  type ClientFieldName,
  certificateFieldEntries,
  clientFieldEntries,
  clientFields,
  isOfMethods,
} from '@gatehouse/proto/client-metadata'
import { grantsWhere } from '@gatehouse/proto/grants'
import { checkField, type FieldRules, RedirectUriRefusal } from './client-field.ts'
import { verifyingKeys } from './key-set.ts'
import { refuseUnnamedCertificate } from './named-certificate.ts'

/** Those who write the metadata of clients, each as the party for which they decide. */
export const metadataWriters = {
  /** Anybody who registers a client (RFC 7591). */
  stranger: 'registration',
  /** The client with its registration access token, which replaces its metadata (RFC 7592). */
  client: 'registration',
  /** The metadata document at the client_id. */
  document: 'registration',
  /** An administrator, who creates a client or changes fields of one. */
  administrator: 'administrator',
  import: 'administrator',
} as const satisfies Record<string, ClientDecider>

/** A writer of metadata. */
export type MetadataWriter = keyof typeof metadataWriters

/** A wish for the metadata of a client, and who has it. */
export type WantedMetadata = {
  writer: MetadataWriter
  /** The metadata until now; undefined for a new client. */
  before?: ClientColumns | undefined
  /** Unknown fields, and those that the writer may not set, are ignored (RFC 7591 section 2). */
  sent: SentColumns
  /** For fields that the writer left out, if the table has no default. */
  defaults: Partial<Pick<ClientDocument, 'client_name' | 'scope'>>
  /** Fields that the server decides whatever was sent. */
  given?: SentColumns
}

/** The rules of this server for metadata, whoever writes it. */
export type ServerRules = Omit<FieldRules, 'scopes'> & {
  /** Whether clients may register fields of OpenID Connect. Administrators may set them everywhere. */
  openid: boolean
}

/** Rules between several fields. */
const relations = {
  'a grant that needs a secret': ({ grant_types, token_endpoint_auth_method }: ClientDocument) => {
    if (grant_types.length === 0) throw new Refusal('invalid_request', 'grant_types is empty.')
    const impossible = grantsWhere(({ confidential }) => confidential).find((one) =>
      grant_types.includes(one),
    )
    if (isPublicMethod(token_endpoint_auth_method) && impossible)
      throw new Refusal(
        'invalid_request',
        `grant_types has ${impossible}, which needs a client with a secret.`,
      )
  },
  'a grant that redirects': ({ grant_types, redirect_uris }: ClientDocument) => {
    const redirecting = grantsWhere(({ redirects }) => redirects).find((one) => grant_types.includes(one))
    if (redirect_uris.length === 0 && redirecting)
      throw new RedirectUriRefusal(`redirect_uris is required for the grant ${redirecting}.`)
  },
  'keys that fit': (document: ClientDocument) => refuseUnfitKeys(document),
  'a certificate that is named': refuseUnnamedCertificate,
}

const keyRules = ['jwks', 'jwks_uri', 'token_endpoint_auth_signing_alg', 'keys that fit'] as const
const certificateRules = [
  ...certificateFieldEntries.map(([name]) => name),
  'a certificate that is named',
] as const

/**
 * Refuses keys with which a client could not do what the rest of its metadata says: those at two places, none for a method that needs some,
 * or none that fits its algorithm.
 * @throws Refusal invalid_request
 */
export function refuseUnfitKeys({
  token_endpoint_auth_method: method = '',
  jwks,
  jwks_uri: address,
  token_endpoint_auth_signing_alg: algorithm,
}: Partial<ClientDocument>): void {
  if (jwks !== undefined && address !== undefined)
    throw new Refusal(
      'invalid_request',
      'jwks and jwks_uri exclude each other: send one of them, or null for the other one.',
    )
  if (address !== undefined || (jwks === undefined && !hasKeys(method))) return
  if (jwks === undefined)
    throw new Refusal('invalid_request', `token_endpoint_auth_method ${method} needs jwks or jwks_uri.`)
  const keys = verifyingKeys(jwks)
  if (hasKeys(method) && keys.length === 0)
    throw new Refusal('invalid_request', 'jwks has no key for signatures.')
  const fits = keys.some(({ key }) => algorithm === undefined || key.algorithms.has(algorithm))
  if (hasKeys(method) && !fits)
    throw new Refusal('invalid_request', `jwks has no key for token_endpoint_auth_signing_alg ${algorithm}.`)
}

type Rule = ClientFieldName | keyof typeof relations

/** In which order faults are looked for, before those of the other fields: of several, the answer has the first. */
const orders = {
  create: [
    ...(['grant_types', 'a grant that redirects', 'redirect_uris', 'scope'] as const),
    ...(['token_endpoint_auth_method', 'a grant that needs a secret', 'client_name'] as const),
    ...[...keyRules, ...certificateRules],
  ],
  change: [
    ...(['grant_types', 'a grant that needs a secret', 'redirect_uris'] as const),
    ...(['a grant that redirects', 'client_name', 'scope'] as const),
    ...[...keyRules, ...certificateRules],
  ],
  replace: [
    ...(['grant_types', 'a grant that needs a secret', 'a grant that redirects'] as const),
    ...(['client_name', 'redirect_uris', 'scope'] as const),
    ...[...keyRules, ...certificateRules],
  ],
} satisfies Record<string, readonly Rule[]>

/**
 * Decides on the metadata of a client. Administrators change the fields that they send, of a client that exists; every other writer
 * replaces all fields that it may set. What is not set anew stays, and is not checked again.
 * @throws Refusal invalid_request, which names the field, or invalid_scope; RedirectUriRefusal
 */
export function decideMetadata(
  { writer, before, sent, defaults, given = {} }: WantedMetadata,
  rules: ServerRules & FieldRules,
): ClientColumns {
  const decider = metadataWriters[writer]
  const changes = before !== undefined && decider === 'administrator'
  const fixed = documentIn(given)
  const old = { ...(before && documentIn(before)), ...fixed }
  const openid = rules.openid || decider === 'administrator'
  const asked = documentIn(sent)
  const wanted = clientFieldEntries.map(([name, field]) => {
    const isSettable =
      (decider === 'administrator' || field.setBy === 'registration') &&
      (openid || !field.openid) &&
      (decider === 'administrator' || isOfMethods(field, rules.methods)) &&
      !(field.fixed && before) &&
      fixed[name] === undefined
    const byDefault = field.default ?? (defaults as Partial<ClientDocument>)[name]
    const value = asked[name]
    if (!isSettable) return { name, value: old[name] ?? byDefault, isNew: false }
    if (changes && (value === undefined || field.column))
      return { name, value: value ?? old[name], isNew: value !== undefined }
    const chosen = isEmpty(name, value) ? byDefault : value
    return { name, value: chosen, isNew: chosen !== undefined }
  })
  const document: Partial<Record<ClientFieldName, unknown>> = Object.fromEntries(
    wanted.map(({ name, value }) => [name, value]),
  )
  const toCheck = new Set<Rule>(wanted.filter(({ isNew }) => isNew).map(({ name }) => name))
  const order = changes ? orders.change : before || writer === 'document' ? orders.replace : orders.create
  for (const rule of new Set<Rule>([...order, ...toCheck])) {
    if (isRelation(rule)) relations[rule](document as ClientDocument)
    else if (toCheck.has(rule)) document[rule] = checkField(rule, document[rule], rules)
  }
  return columnsIn(document as ClientDocument)
}

function isRelation(rule: Rule): rule is keyof typeof relations {
  return Object.hasOwn(relations, rule)
}

/** Whether a value counts as absent. */
export function isEmpty(name: ClientFieldName, value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (clientFields[name].kind === 'name') return String(value).trim() === ''
  return Array.isArray(value) && value.length === 0
}
