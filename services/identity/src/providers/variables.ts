import { ConfigurationError } from '@gatehouse/kit/config/config'
import { type Static, Type } from '@gatehouse/proto/typebox'
import { plainUrl } from '@gatehouse/proto/url-rules'

function idVariable(provider: string) {
  return Type.Optional(
    Type.String({
      defaultText: 'none: the provider is not offered',
      description: `The client id of this server at ${provider}. docs/people/social-login.md explains how to get one.`,
      check: (values: Credentials) => void clientAt(provider, values),
    }),
  )
}

function secretVariable(provider: string) {
  return Type.Optional(
    Type.String({
      secret: true,
      defaultText: 'none',
      description: `The client secret of this server at ${provider}.`,
    }),
  )
}

/** The variables with this server's credentials at providers. */
type Credentials = { readonly [name: `OAUTH2_${string}_CLIENT_${'ID' | 'SECRET'}`]: string | undefined }

/**
 * This server's credentials at a provider.
 * @param provider the provider's name
 * @returns undefined when the provider is not configured
 * @throws ConfigurationError for an id without a secret, or a secret without an id
 */
export function clientAt(
  provider: string,
  values: Credentials,
): { clientId: string; clientSecret: string } | undefined {
  const prefix = `OAUTH2_${provider.toUpperCase()}_CLIENT` as const
  const [clientId, clientSecret] = [values[`${prefix}_ID`], values[`${prefix}_SECRET`]]
  if (!clientId && !clientSecret) return undefined
  if (clientId && clientSecret) return { clientId, clientSecret }
  const [is, missing] = clientId ? ['ID', 'SECRET'] : ['SECRET', 'ID']
  throw new ConfigurationError(`${prefix}_${missing} must be set; ${prefix}_${is} is`)
}

function addressVariable(name: string, what: string, defaultText: string) {
  return Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s?#]+$',
      rule: 'an http:// or https:// URL without query and fragment',
      ...plainUrl(name),
      defaultText,
      description: `${what} http:// is for a test provider on this machine.`,
    }),
  )
}

/** The variables of social logins. */
export const socialVariables = {
  OAUTH2_GOOGLE_CLIENT_ID: idVariable('Google'),
  OAUTH2_GOOGLE_CLIENT_SECRET: secretVariable('Google'),
  OAUTH2_GOOGLE_ISSUER: addressVariable(
    'OAUTH2_GOOGLE_ISSUER',
    'The issuer of Google.',
    'https://accounts.google.com',
  ),
  OAUTH2_MICROSOFT_CLIENT_ID: idVariable('Microsoft'),
  OAUTH2_MICROSOFT_CLIENT_SECRET: secretVariable('Microsoft'),
  OAUTH2_MICROSOFT_ISSUER: addressVariable(
    'OAUTH2_MICROSOFT_ISSUER',
    'The issuer of Microsoft, for example of a national cloud.',
    'https://login.microsoftonline.com/TENANT/v2.0',
  ),
  OAUTH2_MICROSOFT_TENANT_ID: Type.String({
    default: 'common',
    pattern: '^[\\w.-]+$',
    rule: 'common, organizations, consumers, or a tenant’s id or domain',
    description:
      'Which Microsoft accounts may log in: all, those of organizations, personal ones, or those of one tenant.',
  }),
  OAUTH2_GITHUB_CLIENT_ID: idVariable('GitHub'),
  OAUTH2_GITHUB_CLIENT_SECRET: secretVariable('GitHub'),
  OAUTH2_GITHUB_BASE_URL: addressVariable(
    'OAUTH2_GITHUB_BASE_URL',
    'GitHub’s website, for example of a GitHub Enterprise Server.',
    'https://github.com',
  ),
  OAUTH2_GITHUB_API_URL: addressVariable('OAUTH2_GITHUB_API_URL', 'GitHub’s API.', 'https://api.github.com'),
}

const schema = Type.Object(socialVariables)

/** The variables of social logins, with their values. */
export type SocialConfig = Readonly<Static<typeof schema>>
