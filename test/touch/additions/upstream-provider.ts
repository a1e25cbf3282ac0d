import type { Addition } from '../addition.ts'
import { after, instead, newFile } from '../edit.ts'

const table = 'services/identity/src/providers/table.ts'
const texts = 'services/console/src/activity/texts/reason.ts'

/** A provider of social logins that speaks OpenID Connect: GitLab. */
export const upstreamProvider: Addition = {
  name: 'an upstream provider',
  goal: '1 folder',
  most: 7,
  entry: [
    instead(
      table,
      `Record<'google' | 'microsoft' | 'github', Make> = {
`,
      `Record<'google' | 'microsoft' | 'github' | 'gitlab', Make> = {
  gitlab: (settings, config, deps) => gitlab({ ...settings, issuer: config.OAUTH2_GITLAB_ISSUER }, deps),
`,
    ),
    after(
      table,
      `import { github } from './github.ts'
`,
      `import { gitlab } from './gitlab.ts'
`,
    ),
  ],
  // The table names its module and its variable. Nothing asks for its title, its logins in the console or its imports.
  asks: [table],
  rest: [
    newFile(
      'services/identity/src/providers/gitlab.ts',
      `import type { SocialProvider } from './social-provider.ts'
import { clientSecret } from './client-authentication.ts'
import { metadataAddress, openIdProvider } from './openid.ts'
import type { ProviderDeps } from './provider-fetch.ts'
import { type ProviderSettings, textOf, titleOf } from './settings.ts'

/** GitLab, through OpenID Connect: its website, or a server of one's own. */
export function gitlab(settings: ProviderSettings, deps: ProviderDeps): SocialProvider {
  const issuer = settings.issuer ?? 'https://gitlab.com'
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
`,
    ),
    after(
      'services/identity/src/providers/variables.ts',
      `  OAUTH2_GITHUB_API_URL: addressVariable('OAUTH2_GITHUB_API_URL', 'GitHub’s API.', 'https://api.github.com'),
`,
      `  OAUTH2_GITLAB_CLIENT_ID: idVariable('GitLab'),
  OAUTH2_GITLAB_CLIENT_SECRET: secretVariable('GitLab'),
  OAUTH2_GITLAB_ISSUER: addressVariable(
    'OAUTH2_GITLAB_ISSUER',
    'GitLab, for example a server of your own.',
    'https://gitlab.com',
  ),
`,
    ),
    after(
      'services/gateway/src/people/logins/social-providers.ts',
      `  github: 'GitHub',
`,
      `  gitlab: 'GitLab',
`,
    ),
    instead(
      'proto/imports.ts',
      `'microsoft', 'github'] as const`,
      `'microsoft', 'github', 'gitlab'] as const`,
    ),
    instead(
      'proto/gatehouse/identity/v1/identity.proto',
      `Of google, microsoft and github, those`,
      `Of google, microsoft, github and gitlab, those`,
    ),
    // The section of docs/reference/configuration.md that has its variables.
    instead(
      'tools/configuration-page.ts',
      `_(GOOGLE|MICROSOFT|GITHUB)_`,
      `_(GOOGLE|MICROSOFT|GITHUB|GITLAB)_`,
    ),
    after(texts, `      password_grant: 'Password grant',\n`, `      gitlab: 'GitLab',\n`),
    after(texts, `      password_grant: 'Passwort-Grant',\n`, `      gitlab: 'GitLab',\n`),
    after(texts, `      password_grant: 'منحة كلمة المرور',\n`, `      gitlab: 'GitLab',\n`),
  ],
}
