import { isUuid } from '@gatehouse/kit/formats'
import { clientSecret } from './client-authentication.ts'
import { metadataAddress, openIdProvider } from './openid.ts'
import type { ProviderDeps } from './provider-fetch.ts'
import { type ProviderSettings, textOf } from './settings.ts'
import { ProviderFailure, type SocialProvider } from './social-provider.ts'

/** Stands for the tenant in the issuer of an endpoint that serves several tenants. */
const placeholder = '{tenantid}'
/** The tenant of personal accounts. */
const personalAccounts = '9188040d-6c67-4c5b-b112-36a304b66dad'

/**
 * Microsoft, through OpenID Connect. The endpoint `common` serves all tenants: the issuer in its metadata is
 * `https://login.microsoftonline.com/{tenantid}/v2.0`, and each token names its own tenant in `iss` and `tid`. As Microsoft
 * documents, `iss` must be that issuer with `tid` filled in, and the key that signed the token must belong to that issuer.
 */
export function microsoft(
  settings: ProviderSettings & { tenant: string },
  deps: ProviderDeps,
): SocialProvider {
  const { tenant } = settings
  return openIdProvider(
    {
      // openid-client accepts an issuer template only for this host. `metadataAt` may be elsewhere, as in a national cloud.
      server: new URL('https://login.microsoftonline.com/common/v2.0'),
      metadataAt: metadataAddress(settings.issuer ?? `https://login.microsoftonline.com/${tenant}/v2.0`),
      clientId: settings.clientId,
      clientAuthentication: clientSecret(settings.clientSecret),
      redirectUri: settings.redirectUri,
      scope: 'openid email profile',
      received(query, issuer) {
        // The `iss` of RFC 9207 names the tenant. Only the token tells which tenant is right, so personOf compares them.
        if (issuer.includes(placeholder) && query.getAll('iss').length === 1) query.set('iss', issuer)
      },
      personOf({ claims, key, issuer, query }) {
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
      },
    },
    deps,
  )
}

/**
 * Whether Microsoft says that the e-mail address is the person's. An address without the optional claim `xms_edov` ("e-mail
 * domain owner verified") is whatever an administrator of any tenant has typed. The claim is a boolean, a number or a text,
 * depending on the endpoint.
 */
function hasOwnEmail({ xms_edov: owned, email_verified: verified }: Record<string, unknown>): boolean {
  return verified === true || owned === true || owned === 1 || owned === '1' || owned === 'true'
}
