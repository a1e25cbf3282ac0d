import { Refusal } from '@gatehouse/kit/errors'
import {
  defaultAuthenticationMethod,
  enabledAuthenticationMethods,
  isPublicMethod,
} from '@gatehouse/proto/client-authentication'
import { type ClientField, clientFieldEntries } from '@gatehouse/proto/client-metadata'
import { grantsWhere } from '@gatehouse/proto/grants'
import { RedirectUriRefusal } from '../clients/metadata.ts'
import type { SentMetadata } from '../clients/metadata-document.ts'

/** The metadata that may be replaced. */
export type SubstitutableMetadata = {
  grantTypes: readonly string[]
  /** Space-separated. */
  scope?: string | undefined
  tokenEndpointAuthMethod?: string | undefined
  metadata?: SentMetadata
}

/** The metadata that this server supports. */
export type SupportedMetadata = {
  /** Whether a client without a secret may register. */
  publicClients: boolean
  /** The grants that are on. */
  grantTypes: readonly string[]
  /** The scopes that the client may have. */
  scopes: ReadonlySet<string>
}

/**
 * Replaces what this server does not support by what it does (RFC 7591 section 3.2.1): the client reads in the answer what it
 * got. Values that nobody could support, such as a malformed redirect URI, stay and are refused later.
 */
export function substituted<Request extends SubstitutableMetadata>(
  request: Request,
  supported: SupportedMetadata,
): Request {
  const { tokenEndpointAuthMethod: method, scope } = request
  const methods: readonly string[] = enabledAuthenticationMethods(supported.publicClients)
  const known = !method || methods.includes(method)
  const tokenEndpointAuthMethod = known ? method : defaultAuthenticationMethod
  return {
    ...request,
    tokenEndpointAuthMethod,
    grantTypes: possibleGrants(request.grantTypes, isPublicMethod(tokenEndpointAuthMethod ?? ''), supported),
    scope:
      scope
        ?.split(' ')
        .filter((word) => supported.scopes.has(word))
        .join(' ') || undefined,
    metadata: withSupportedChoices(request.metadata),
  }
}

/** The wanted grants that are possible. If none of them begins anything, the default grant begins the others. */
function possibleGrants(
  wanted: readonly string[],
  withoutSecret: boolean,
  { grantTypes }: SupportedMetadata,
): readonly string[] {
  const impossible = new Set<string>(withoutSecret ? grantsWhere(({ confidential }) => confidential) : [])
  const possible = wanted.filter((grant) => grantTypes.includes(grant) && !impossible.has(grant))
  const beginnings: readonly string[] = grantsWhere(({ tokensOf }) => tokensOf !== 'continued')
  const begins = possible.some((grant) => beginnings.includes(grant))
  return begins || wanted.length === 0
    ? possible
    : [...grantsWhere(({ redirects }) => redirects), ...possible]
}

/** Drops the values of fields with a choice that are none of the choices, so that the default holds. */
function withSupportedChoices(sent: SentMetadata): SentMetadata {
  const isUnsupported = ([name, field]: [string, ClientField]) =>
    field.kind === 'choice' && typeof sent?.[name] === 'string' && !field.choices.includes(sent[name])
  const dropped = clientFieldEntries.filter(isUnsupported).map(([name]) => [name, undefined])
  return sent && { ...sent, ...Object.fromEntries(dropped) }
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
