import { clientSecret } from './client-authentication.ts'
import { metadataAddress, openIdProvider } from './openid.ts'
import type { ProviderDeps } from './provider-fetch.ts'
import { type ProviderSettings, textOf, titleOf } from './settings.ts'
import type { SocialProvider } from './social-provider.ts'

/** Google, through OpenID Connect. Google never reassigns a `sub`, and it is the same for every client. */
export function google(settings: ProviderSettings, deps: ProviderDeps): SocialProvider {
  const issuer = settings.issuer ?? 'https://accounts.google.com'
  return openIdProvider(
    {
      server: new URL(issuer),
      metadataAt: metadataAddress(issuer),
      clientId: settings.clientId,
      clientAuthentication: clientSecret(settings.clientSecret),
      redirectUri: settings.redirectUri,
      scope: 'openid email profile',
      personOf({ claims }) {
        const name = textOf(claims.name)
        const email = claims.email_verified === true ? textOf(claims.email) : ''
        return { subject: claims.sub, name, displayName: titleOf(name, email), claims }
      },
    },
    deps,
  )
}
