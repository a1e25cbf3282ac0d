import { loginPathOf, pathOf, portOf, quoted, type Snippet, type SnippetValues } from './values.ts'

const name = 'Node.js'

/** Words about how to run the code. */
export const nodeHint = '// Save this as app.mjs, then: npm install openid-client && node app.mjs'

/** Reads the metadata of the server. */
export function nodeConfiguration(values: SnippetValues): string {
  const options = [
    ...(values.openid ? [] : [`algorithm: 'oauth2'`]),
    ...(values.issuer.startsWith('http:') ? ['execute: [oauth.allowInsecureRequests]'] : []),
  ]
  const secret =
    values.clientSecret === '' ? 'undefined, oauth.None()' : `${quoted(values.clientSecret)}, undefined`
  return `const config = await oauth.discovery(
  new URL(${quoted(values.issuer)}),
  ${quoted(values.clientId)},
  ${secret},${options.length === 0 ? '' : `\n  { ${options.join(', ')} },`}
)`
}

/** Finds out who logged in, indented by four blanks. */
function whoLoggedIn({ openid }: SnippetValues): string {
  return openid
    ? `    const { sub } = tokens.claims()
    const user = await oauth.fetchUserInfo(config, tokens.access_token, sub)
    const name = user.name ?? user.preferred_username ?? sub`
    : `    const { username: name } = await oauth.tokenIntrospection(config, tokens.access_token)`
}

/** A service that asks for a token. */
export const nodeMachine: Snippet = {
  name,
  code: (values) => `${nodeHint}
import * as oauth from 'openid-client'

${nodeConfiguration(values)}
const tokens = await oauth.clientCredentialsGrant(config, { scope: ${quoted(values.scope)} })
console.log(tokens.access_token)`,
}

const request = (values: SnippetValues) => `{
      redirect_uri: redirectUri.href,
      scope: ${quoted(values.scope)},
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    }`

/** A web app on a server. */
export const nodeWeb: Snippet = {
  name,
  code: (values) => `${nodeHint}
import { createServer } from 'node:http'
import * as oauth from 'openid-client'

${nodeConfiguration(values)}
const redirectUri = new URL(${quoted(values.redirectUri)})

createServer(async (request, response) => {
  try {
    const url = new URL(request.url, redirectUri)
    if (url.pathname === ${quoted(pathOf(values.redirectUri))}) await finishLogin(url, request, response)
    else if (url.pathname === ${quoted(loginPathOf(values.redirectUri))}) await startLogin(response)
    else response.writeHead(404).end('There is nothing here.')
  } catch (error) {
    console.error(error)
    response.writeHead(400).end('The login failed. Try again.')
  }
}).listen(${portOf(values.redirectUri)}, () => console.log(${quoted(`Open ${new URL(loginPathOf(values.redirectUri), values.redirectUri)}`)}))

async function startLogin(response) {
  const state = oauth.randomState()
  const codeVerifier = oauth.randomPKCECodeVerifier()
  const address = oauth.buildAuthorizationUrl(config, ${request(values).replaceAll('\n  ', '\n')})
  // Ties the login to this browser. Keep it in the session of your framework instead, if there is one.
  const cookie = \`login=\${state}.\${codeVerifier}; Path=/; HttpOnly; SameSite=Lax; Max-Age=600\`
  response.writeHead(302, { location: address.href, 'set-cookie': cookie }).end()
}

async function finishLogin(url, request, response) {
  const [, state, codeVerifier] = /\\blogin=([\\w-]+)\\.([\\w-]+)/.exec(request.headers.cookie ?? '') ?? []
  if (state === undefined) throw new Error('no login began in this browser')
  const tokens = await oauth.authorizationCodeGrant(config, url, {
    pkceCodeVerifier: codeVerifier,
    expectedState: state,
  })
${whoLoggedIn(values).replaceAll(/^ {2}/gm, '')}
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(\`Hello \${name}!\`)
}`,
}

/** An app on a device, which listens on it for the answer (RFC 8252 section 7.3). */
export const nodeNative: Snippet = {
  name,
  when: ({ redirectUri }) => /^http:/i.test(redirectUri),
  code: (values) => `${nodeHint}
import { once } from 'node:events'
import { createServer } from 'node:http'
import * as oauth from 'openid-client'

${nodeConfiguration(values)}
const redirectUri = new URL(${quoted(values.redirectUri)})
const state = oauth.randomState()
const codeVerifier = oauth.randomPKCECodeVerifier()

const server = createServer(async (request, response) => {
  try {
    const url = new URL(request.url, redirectUri)
    if (url.searchParams.get('state') !== state) return response.writeHead(404).end('There is nothing here.')
    const tokens = await oauth.authorizationCodeGrant(config, url, {
      pkceCodeVerifier: codeVerifier,
      expectedState: state,
    })
${whoLoggedIn(values)}
    console.log(\`Hello \${name}!\`)
    response.end('You are logged in. Close this page, and go back to the app.')
  } catch (error) {
    console.error(error)
    response.writeHead(400).end('The login failed. Start the app again.')
  }
  server.close()
})
// Any free port will do, unless the redirect URI has one.
server.listen(redirectUri.port || 0, redirectUri.hostname.replaceAll(/[[\\]]/g, ''))
await once(server, 'listening')
redirectUri.port = server.address().port

const address = oauth.buildAuthorizationUrl(config, ${request(values).replaceAll('\n    ', '\n')})
console.log(\`Open \${address.href}\`)`,
}

/** A resource server that asks about access tokens. */
export const nodeResource: Snippet = {
  name,
  code: (values) => `// npm install openid-client
import * as oauth from 'openid-client'

${nodeConfiguration(values)}

/** The caller of a request with this Authorization header; undefined when its access token is not valid here. */
export async function callerOf(authorization = '') {
  const [, token] = /^Bearer (\\S+)$/i.exec(authorization) ?? []
  if (token === undefined) return undefined
  const found = await oauth.tokenIntrospection(config, token)
  const forUs = [found.aud].flat().includes(${quoted(values.identifier)})
  return found.active && forUs ? { subject: found.sub, scope: found.scope.split(' ') } : undefined
}`,
}
