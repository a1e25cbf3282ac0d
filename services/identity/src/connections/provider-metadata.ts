import { Refusal } from '@gatehouse/kit/errors'
import { type AddressRule, urlFault } from '@gatehouse/kit/fetch/address-rule'
import type { Fetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import { algorithmsOfOthers } from '@gatehouse/proto/algorithms'
import type { UpstreamAuthentication } from '@gatehouse/proto/connections'
import { longestMetadata, type OpenIdMetadata, readMetadata } from '../providers/metadata-fields.ts'
import { metadataAddress } from '../providers/openid.ts'

/** The needs of reading the metadata of a provider. */
export type MetadataDeps = { fetcher: Pick<Fetcher, 'get'>; rule: AddressRule }

/**
 * Reads the metadata of a provider (OpenID Connect Discovery 1.0 section 4), and checks that logins by it can work.
 * @throws Refusal invalid_request, which says in one line what is wrong
 */
export async function checkProvider(
  issuer: string,
  authentication: UpstreamAuthentication,
  { fetcher, rule }: MetadataDeps,
): Promise<void> {
  const metadata = await read(issuer, fetcher)
  if (metadata.issuer !== issuer)
    throw refusal(issuer, `its issuer is ${shown(metadata.issuer)}, which must be the same text`)
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
    checkEndpoint(issuer, name, metadata[name], rule)
  if (metadata.userinfo_endpoint !== undefined)
    checkEndpoint(issuer, 'userinfo_endpoint', metadata.userinfo_endpoint, rule)
  for (const [name, wanted, absent] of demanded(authentication)) {
    const offered = metadata[name]
    const isOffered = Array.isArray(offered) ? wanted.some((one) => offered.includes(one)) : absent
    if (!isOffered) throw refusal(issuer, `its ${name} must have ${wanted.join(' or ')}`)
  }
}

/** Metadata of which one of some values is needed. The last item says whether it may be absent. */
function demanded(
  authentication: UpstreamAuthentication,
): readonly (readonly [name: keyof OpenIdMetadata, wanted: readonly string[], absent: boolean])[] {
  const byKey = authentication === 'private_key_jwt'
  return [
    ['response_types_supported', ['code'], false],
    // RFC 8414 section 2 has it without a default; many providers know PKCE and do not say so.
    ['code_challenge_methods_supported', ['S256'], true],
    ['id_token_signing_alg_values_supported', algorithmsOfOthers, true],
    [
      'token_endpoint_auth_methods_supported',
      byKey ? ['private_key_jwt'] : ['client_secret_basic', 'client_secret_post'],
      !byKey,
    ],
    ...(byKey ? ([['token_endpoint_auth_signing_alg_values_supported', ['ES256'], true]] as const) : []),
  ]
}

async function read(issuer: string, fetcher: MetadataDeps['fetcher']): Promise<OpenIdMetadata> {
  const url = new URL(metadataAddress(issuer))
  const wanted = { maxBytes: longestMetadata, takesType: (type: string) => type === 'application/json' }
  const document = await fetcher.get(url, wanted).catch((error: unknown) => {
    throw refusal(issuer, (error as Error).message)
  })
  const metadata = readMetadata(document.body.toString())
  if (metadata === undefined) throw refusal(issuer, 'they are no JSON object')
  return metadata
}

function checkEndpoint(issuer: string, name: string, value: unknown, rule: AddressRule): void {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url === null) throw refusal(issuer, `its ${name} is missing`)
  const fault = urlFault(url, rule)
  if (fault !== undefined)
    throw refusal(
      issuer,
      `its ${name} ${fault === 'not https' ? 'does not begin with https://' : 'is at a private address'}`,
    )
}

/** A value as people may read it in a line: it is somebody else's, and can be anything. */
function shown(value: unknown): string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value) ? value : 'missing or no address'
}

function refusal(issuer: string, why: string): Refusal {
  return new Refusal(
    'invalid_request',
    `issuer: the metadata at ${metadataAddress(issuer)} cannot be used: ${why}.`,
  )
}
