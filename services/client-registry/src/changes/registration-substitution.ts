import { Refusal } from '@gatehouse/kit/errors'
import { defaultAuthenticationMethod, isPublicMethod } from '@gatehouse/proto/client-authentication'
import { columnsIn, documentIn, type SentColumns } from '@gatehouse/proto/client-columns'
import { type ClientField, type ClientFieldName, clientFieldEntries } from '@gatehouse/proto/client-metadata'
import { grantsWhere } from '@gatehouse/proto/grants'
import { choicesOf, RedirectUriRefusal } from '../clients/client-field.ts'

/** The metadata that this server supports. */
export type SupportedMetadata = {
  /** The methods of authentication that are on. */
  methods: readonly string[]
  /** The grants that are on. */
  grantTypes: readonly string[]
  /** The scopes that the client may have. */
  scopes: ReadonlySet<string>
}

/**
 * Replaces what this server does not support by what it does (RFC 7591 section 3.2.1): the client reads in the answer what it
 * got. Values that nobody could support, such as a malformed redirect URI, stay and are refused later.
 */
export function substituted(sent: SentColumns, supported: SupportedMetadata): SentColumns {
  const known = columnsIn(withSupportedChoices(documentIn(sent), supported))
  const { tokenEndpointAuthMethod = defaultAuthenticationMethod, grantTypes = [], scope } = known
  return {
    ...known,
    grantTypes: possibleGrants(grantTypes, isPublicMethod(tokenEndpointAuthMethod), supported),
    scope: scope
      ?.split(' ')
      .filter((word) => supported.scopes.has(word))
      .join(' '),
  }
}

/** The wanted grants that are possible. If none of them begins anything, the default grant begins the others. */
function possibleGrants(
  wanted: readonly string[],
  withoutSecret: boolean,
  { grantTypes }: SupportedMetadata,
): string[] {
  const impossible = new Set<string>(withoutSecret ? grantsWhere(({ confidential }) => confidential) : [])
  const possible = wanted.filter((grant) => grantTypes.includes(grant) && !impossible.has(grant))
  const beginnings: readonly string[] = grantsWhere(({ tokensOf }) => tokensOf !== 'continued')
  const begins = possible.some((grant) => beginnings.includes(grant))
  return begins || wanted.length === 0
    ? possible
    : [...grantsWhere(({ redirects }) => redirects), ...possible]
}

/** Drops the values of fields with a choice that are none of the choices, so that the default holds. */
function withSupportedChoices(sent: Readonly<Record<string, unknown>>, { methods }: SupportedMetadata) {
  const isSupported = ([name, field]: [ClientFieldName, ClientField]) =>
    field.kind !== 'choice' ||
    typeof sent[name] !== 'string' ||
    choicesOf(name, field, methods).includes(sent[name])
  return Object.fromEntries(clientFieldEntries.filter(isSupported).map(([name]) => [name, sent[name]]))
}

/**
 * Runs the checks of a registration with the error codes of RFC 7591 section 3.2.2.
 * @throws Refusal invalid_redirect_uri or invalid_client_metadata in place of a Refusal of the checks
 */
export function withRegistrationErrors<Result>(check: () => Result): Result {
  try {
    return check()
  } catch (error) {
    if (error instanceof RedirectUriRefusal) throw new Refusal('invalid_redirect_uri', error.description)
    const isFault = error instanceof Refusal && ['invalid_request', 'invalid_scope'].includes(error.code)
    throw isFault ? new Refusal('invalid_client_metadata', error.description) : error
  }
}
