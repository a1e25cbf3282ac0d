import { isUuid } from '@gatehouse/kit/formats'
import { ProviderFailure, type SocialProvider } from '../social-provider.ts'
import { clientSecret } from './client-authentication.ts'
import { metadataAddress, openIdProvider } from './openid.ts'
import type { ProviderDeps } from './provider-fetch.ts'
import { type ProviderSettings, textOf } from './settings.ts'

/** What stands for the tenant in the issuer of an endpoint that is for several. */
const placeholder = '{tenantid}'
/** The tenant of personal accounts. */
const personalAccounts = '9188040d-6c67-4c5b-b112-36a304b66dad'

/**
 * Microsoft, by OpenID Connect. The endpoint of tenant `common` is for all tenants: its metadata say
 * `https://login.microsoftonline.com/{tenantid}/v2.0`, and each token names its own tenant in `iss` and in `tid`. As
 * Microsoft documents it, `iss` must be that issuer with `tid` put in, and the key that signed the token must be one of
 * that issuer, too.
 */
export function microsoft(
  settings: ProviderSettings & { tenant: string },
  deps: ProviderDeps,
): SocialProvider {
  const { tenant } = settings
  return openIdProvider(
    {
      // The one host whose issuers openid-client takes for templates. The document may be elsewhere, as for a national cloud.
      server: new URL('https://login.microsoftonline.com/common/v2.0'),
      metadataAt: metadataAddress(settings.issuer ?? `https://login.microsoftonline.com/${tenant}/v2.0`),
      clientId: settings.clientId,
      clientAuthentication: clientSecret(settings.clientSecret),
      redirectUri: settings.redirectUri,
      scope: 'openid email profile',
      received(query, issuer) {
        // RFC 9207's `iss` names the tenant; what it must be is known from the token only, and compared below.
        if (issuer.includes(placeholder) && query.getAll('iss').length === 1) query.set('iss', issuer)
      },
      personOf({ claims, key, issuer, query }) {
        const tid = textOf(claims.tid)
        const wrong = (what: string) =>
          new ProviderFailure('bad answer', `the token's ${what} is not its issuer's`)
        if (issuer.includes(placeholder) && !isUuid(tid.toLowerCase())) throw wrong('tenant')
        if (query.has('iss') && query.get('iss') !== claims.iss) throw wrong('callback')
        const keyIssuer = textOf((key as { issuer?: unknown } | undefined)?.issuer)
        if (keyIssuer !== '' && keyIssuer.replace(placeholder, tid) !== claims.iss) throw wrong('key')
        if (tenant === 'organizations' && tid === personalAccounts)
          throw new ProviderFailure('denied', 'a personal account')
        // `sub` is another for each client; `oid` is the person's in their tenant. Neither name nor e-mail are checked.
        const oid = textOf(claims.oid)
        const subject = tid && oid ? `${tid}/${oid}` : claims.sub
        const name = textOf(claims.name)
        return { subject, name, displayName: name || textOf(claims.preferred_username) }
      },
    },
    deps,
  )
}
