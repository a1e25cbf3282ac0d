import { isUuid } from '@gatehouse/kit/formats'
import { Type } from '@gatehouse/proto/typebox'
import { clientSecret } from '../client-authentication.ts'
import { type OpenIdSettings, openIdProvider, standardSettings } from '../openid.ts'
import { textOf } from '../settings.ts'
import { ProviderFailure, type SocialPerson } from '../social-provider.ts'
import { defineProvider } from '../upstream-provider.ts'
import { addressVariable } from '../variables.ts'

/** Stands for the tenant in the issuer of an endpoint that serves several tenants. */
const placeholder = '{tenantid}'
/** The tenant of personal accounts. */
const personalAccounts = '9188040d-6c67-4c5b-b112-36a304b66dad'

/**
 * Microsoft, through OpenID Connect. The endpoint `common` serves all tenants: the issuer in its metadata is
 * `https://login.microsoftonline.com/{tenantid}/v2.0`, and each token names its own tenant in `iss` and `tid`. As Microsoft
 * documents, `iss` must be that issuer with `tid` filled in, and the key that signed the token must belong to that issuer.
 */
export const provider = defineProvider({
  name: 'microsoft',
  title: 'Microsoft',
  place: 2,
  aliases: ['azure'],
  reauthenticates: true,
  variables: {
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
  },
  create(client, { OAUTH2_MICROSOFT_TENANT_ID: tenant, ...values }, deps) {
    const issuer = values.OAUTH2_MICROSOFT_ISSUER ?? `https://login.microsoftonline.com/${tenant}/v2.0`
    return openIdProvider(
      {
        ...standardSettings(issuer, client, clientSecret(client.clientSecret)),
        // openid-client accepts an issuer template only for this host. `metadataAt` may be elsewhere, as in a national cloud.
        server: new URL('https://login.microsoftonline.com/common/v2.0'),
        received(query, issuer) {
          // The `iss` of RFC 9207 names the tenant. Only the token tells which tenant is right, so personOf compares them.
          if (issuer.includes(placeholder) && query.getAll('iss').length === 1) query.set('iss', issuer)
        },
        personOf: (token) => personOf(token, tenant),
      },
      deps,
    )
  },
})

/** The person of a token, if it is of the right tenant. @throws ProviderFailure */
function personOf(
  { claims, key, issuer, query }: Parameters<OpenIdSettings['personOf']>[0],
  tenant: string,
): Omit<SocialPerson, 'login'> {
  const tid = textOf(claims.tid)
  const wrong = (what: string) =>
    new ProviderFailure('bad answer', `the ${what} does not match the token's issuer`)
  if (issuer.includes(placeholder) && !isUuid(tid.toLowerCase())) throw wrong('tenant')
  if (query.has('iss') && query.get('iss') !== claims.iss) throw wrong('callback')
  const keyIssuer = textOf((key as { issuer?: unknown } | undefined)?.issuer)
  if (keyIssuer !== '' && keyIssuer.replace(placeholder, tid) !== claims.iss) throw wrong('key')
  if (tenant === 'organizations' && tid === personalAccounts)
    throw new ProviderFailure('denied', 'a personal account')
  // `sub` differs for each client, so `oid` in the tenant identifies the person. Microsoft verifies no name.
  const oid = textOf(claims.oid)
  const subject = tid && oid ? `${tid}/${oid}` : claims.sub
  const name = textOf(claims.name)
  const displayName = name || textOf(claims.preferred_username)
  return { subject, name, displayName, claims: { ...claims, email_verified: hasOwnEmail(claims) } }
}

/**
 * Whether Microsoft says that the e-mail address is the person's. An address without the optional claim `xms_edov` ("e-mail
 * domain owner verified") is whatever an administrator of any tenant has typed. The claim is a boolean, a number or a text,
 * depending on the endpoint.
 */
function hasOwnEmail({ xms_edov: owned, email_verified: verified }: Record<string, unknown>): boolean {
  return verified === true || owned === true || owned === 1 || owned === '1' || owned === 'true'
}
