import { clientSecret } from '../client-authentication.ts'
import { openIdProvider, standardSettings } from '../openid.ts'
import { defineProvider } from '../upstream-provider.ts'
import { addressVariable } from '../variables.ts'

const publicIssuer = 'https://accounts.google.com'

/** Google, through OpenID Connect. Google never reassigns a `sub`, and it is the same for every client. */
export const provider = defineProvider({
  name: 'google',
  title: 'Google',
  place: 1,
  reauthenticates: true,
  variables: {
    OAUTH2_GOOGLE_ISSUER: addressVariable('OAUTH2_GOOGLE_ISSUER', 'The issuer of Google.', publicIssuer),
  },
  create: (settings, { OAUTH2_GOOGLE_ISSUER: issuer = publicIssuer }, deps) =>
    openIdProvider(standardSettings(issuer, settings, clientSecret(settings.clientSecret)), deps),
})
