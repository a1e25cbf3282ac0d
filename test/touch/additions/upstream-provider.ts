import type { Addition } from '../addition.ts'
import { newFile } from '../edit.ts'

/** A provider of logins that speaks OpenID Connect: GitLab. Everything about it is in its folder. */
export const upstreamProvider: Addition = {
  name: 'an upstream provider',
  goal: '1 folder',
  most: 1,
  entry: [
    newFile(
      'services/identity/src/providers/gitlab/provider.ts',
      `import { openIdProvider, standardSettings } from '../openid.ts'
import { defineProvider } from '../upstream-provider.ts'
import { addressVariable } from '../variables.ts'

const publicIssuer = 'https://gitlab.com'

/** GitLab, through OpenID Connect: its website, or a server of one's own. */
export const provider = defineProvider({
  name: 'gitlab',
  title: 'GitLab',
  place: 4,
  reauthenticates: true,
  variables: {
    OAUTH2_GITLAB_ISSUER: addressVariable(
      'OAUTH2_GITLAB_ISSUER',
      'GitLab, for example a server of your own.',
      publicIssuer,
    ),
  },
  create: (settings, { OAUTH2_GITLAB_ISSUER: issuer = publicIssuer }, deps) =>
    openIdProvider(standardSettings(issuer, settings), deps),
})
`,
    ),
  ],
  // There is nothing else to ask for.
  asks: [],
  rest: [],
}
