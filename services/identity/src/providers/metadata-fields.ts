/** The most that metadata may have, in bytes: real ones have some kilobytes, and each login reads them. */
export const longestMetadata = 65_536

/** The longest text in metadata that counts, in UTF-16 code units, and the most values of a list. */
const longestText = 2_000
const mostValues = 100

const texts = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'jwks_uri',
  'pushed_authorization_request_endpoint',
] as const
const lists = [
  'response_types_supported',
  'code_challenge_methods_supported',
  'id_token_signing_alg_values_supported',
  'userinfo_signing_alg_values_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'dpop_signing_alg_values_supported',
] as const
const flags = ['authorization_response_iss_parameter_supported'] as const

/** The metadata of a provider that this server and openid-client read, and no others (OpenID Connect Discovery 1.0 section 3). */
export type OpenIdMetadata = Partial<
  Record<(typeof texts)[number], string> &
    Record<(typeof lists)[number], string[]> &
    Record<(typeof flags)[number], boolean>
>

/**
 * Reads the members of metadata that count, if they have the right type and are not too long.
 * @returns undefined for a text that is no JSON object
 */
export function readMetadata(text: string): OpenIdMetadata | undefined {
  const document = objectOf(text)
  if (document === undefined) return undefined
  const read: Record<string, unknown> = {}
  const isText = (value: unknown) => typeof value === 'string' && value.length <= longestText
  for (const name of texts) if (isText(document[name])) read[name] = document[name]
  for (const name of flags) if (typeof document[name] === 'boolean') read[name] = document[name]
  for (const name of lists) {
    const values = document[name]
    if (Array.isArray(values)) read[name] = values.slice(0, mostValues).filter(isText)
  }
  return read
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
