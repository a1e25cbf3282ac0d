import { byHttp, quoted, type Snippet } from './values.ts'

/** A page that logs users in, in the script of an app that a tool such as Vite bundles. */
export const singlePageApp: Snippet = {
  name: 'JavaScript',
  when: byHttp,
  code: (values) => (values.openid ? withOpenid : withoutOpenid)(values),
}

const withOpenid: Snippet['code'] = ({
  issuer,
  clientId,
  redirectUri,
  scope,
}) => `// npm install oidc-client-ts
import { UserManager } from 'oidc-client-ts'

const manager = new UserManager({
  authority: ${quoted(issuer)},
  client_id: ${quoted(clientId)},
  redirect_uri: ${quoted(redirectUri)},
  scope: ${quoted(scope)},
  loadUserInfo: true,
})

try {
  const { href } = location
  const returned = new URL(href).searchParams.has('state')
  // A code works only once: whoever loads the page again comes to another address.
  if (returned) history.replaceState(null, '', '/')
  const user = returned ? await manager.signinCallback(href) : await manager.getUser()
  if (user && !user.expired) {
    const { name, preferred_username, sub } = user.profile
    document.body.textContent = \`Hello \${name ?? preferred_username ?? sub}!\`
  } else await manager.signinRedirect()
} catch (error) {
  document.body.textContent = \`The login failed: \${error.message}\`
}`

const withoutOpenid: Snippet['code'] = ({
  issuer,
  clientId,
  redirectUri,
  scope,
  authorizationEndpoint,
  tokenEndpoint,
}) => `// npm install oidc-client-ts
import { OidcClient } from 'oidc-client-ts'

const client = new OidcClient({
  authority: ${quoted(issuer)},
  metadata: {
    issuer: ${quoted(issuer)},
    authorization_endpoint: ${quoted(authorizationEndpoint)},
    token_endpoint: ${quoted(tokenEndpoint)},
  },
  client_id: ${quoted(clientId)},
  redirect_uri: ${quoted(redirectUri)},
  response_type: 'code',
  scope: ${quoted(scope)},
})

try {
  const { href } = location
  if (new URL(href).searchParams.has('state')) {
    // A code works only once: whoever loads the page again comes to another address.
    history.replaceState(null, '', '/')
    const tokens = await client.processSigninResponse(href)
    document.body.textContent = \`Logged in. The access token is valid for \${tokens.expires_in} seconds.\`
  } else {
    const { url } = await client.createSigninRequest({})
    location.assign(url)
  }
} catch (error) {
  document.body.textContent = \`The login failed: \${error.message}\`
}`
