import { profileDefaults, profileNames } from '@gatehouse/proto/profiles'

/** docs/reference/profiles.md: what each profile switches on. */
export function profilesPage(): string {
  const rows = Object.entries(profileDefaults).map(([variable, values]) => {
    const cells = profileNames.map((profile) => (values[profile] === '' ? 'none' : `\`${values[profile]}\``))
    return `| ${variable} | ${cells.join(' | ')} |`
  })
  return `${[
    '<!-- Written by npm run generate. Change tools/profiles-page.ts or proto/profiles.ts. -->',
    '',
    '# Profiles',
    '',
    '`OAUTH2_PROFILE` chooses a set of defaults. A variable that you set yourself wins over its profile.',
    '',
    '- `interface`, the default: plain OAuth 2.0. Access tokens are signed with the shared secret, and resource servers introspect them.',
    '  Nothing of OpenID Connect is answered, and the public answers stay as they are from release to release.',
    '- `openid`: an OpenID provider for the apps of an organization. People log in, apps get ID tokens and their profile, resource',
    '  servers verify access tokens with the published keys. Administrators create the clients.',
    '- `mcp`: the same for clients that nobody registered before, such as the agents and editors that speak the Model Context Protocol.',
    '',
    `| Variable | ${profileNames.map((name) => `\`${name}\``).join(' | ')} |`,
    `|---|${profileNames.map(() => '---').join('|')}|`,
    ...rows,
    '',
    'In [openapi.json](openapi.json), and in the document that each system serves at `/openapi.json`, `x-gatehouse-profiles` names the',
    'profiles that have an operation or a field by default.',
    '',
    '[configuration.md](configuration.md) says what each variable does. Five differences have no variable of their own:',
    '',
    '- In `openid` and `mcp`, errors of an authorization request go to the redirect URI once client and redirect URI are valid (RFC 6749',
    '  section 4.1.2.1), if an administrator made the client. All other errors are shown where the request arrived, because an open',
    '  registration would make a redirect for anybody’s address (RFC 9700 section 4.11.2).',
    '- In `openid` and `mcp`, registration replaces client metadata that the server does not support, and says so in its answer (RFC',
    '  7591 section 3.2.1), and clients manage their own registration (RFC 7592). In `interface` it refuses such metadata. See',
    '  [registration.md](../apps/registration.md).',
    '- In `openid` and `mcp`, pages of the origins of a client may call the endpoints for tokens, revocation and userinfo for that',
    '  client (CORS): those in its `allowed_origins` ([client-metadata.md](client-metadata.md)), by default those of its redirect URIs. A',
    '  change counts within two seconds. A gateway knows at most 10,000 such origins of clients that administrators made. Those of clients',
    '  that registered themselves count only with `OAUTH2_REGISTRATION=open`: a preflight, which names no client, is then answered for every',
    '  origin, and the answer itself only for the origins of its client.',
    '- In `openid` and `mcp`, the server has this documentation at `/docs`, and pages lead there.',
    '- In `mcp`, a redirect URI may have a private-use scheme without a dot, such as `cursor:`.',
  ].join('\n')}\n`
}
