import { ConfigurationError } from '@gatehouse/kit/config/config'
import { type TProperties, Type } from '@gatehouse/proto/typebox'
import { plainUrl } from '@gatehouse/proto/url-rules'
import type { UpstreamProvider } from './upstream-provider.ts'

function idVariable(provider: string, title: string) {
  return Type.Optional(
    Type.String({
      defaultText: 'none: the provider is not offered',
      description: `The client id of this server at ${title}. docs/people/social-login.md explains how to get one.`,
      check: (values: Credentials) => void clientAt(provider, values),
    }),
  )
}

function secretVariable(title: string) {
  return Type.Optional(
    Type.String({
      secret: true,
      defaultText: 'none',
      description: `The client secret of this server at ${title}.`,
    }),
  )
}

/** The variables with this server's credentials at providers. */
type Credentials = { readonly [name: `OAUTH2_${string}_CLIENT_${'ID' | 'SECRET'}`]: unknown }

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
  const prefix = `${prefixOf(provider)}_CLIENT` as const
  const [clientId = '', clientSecret = ''] = [values[`${prefix}_ID`], values[`${prefix}_SECRET`]] as (
    | string
    | undefined
  )[]
  if (!clientId && !clientSecret) return undefined
  if (clientId && clientSecret) return { clientId, clientSecret }
  const [is, missing] = clientId ? ['ID', 'SECRET'] : ['SECRET', 'ID']
  throw new ConfigurationError(`${prefix}_${missing} must be set; ${prefix}_${is} is`)
}

/** The beginning of the names of a provider's variables. */
function prefixOf(provider: string) {
  return `OAUTH2_${provider.toUpperCase()}` as const
}

/** The variable of an address of a provider. @param what a sentence about it; defaultText: the address without the variable */
export function addressVariable(name: string, what: string, defaultText: string) {
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

/** The variables of a provider, with those for this server's credentials there. */
export function variablesOf({ name, title, variables }: UpstreamProvider): TProperties {
  const prefix = prefixOf(name)
  return {
    [`${prefix}_CLIENT_ID`]: idVariable(name, title),
    [`${prefix}_CLIENT_SECRET`]: secretVariable(title),
    ...variables,
  }
}
