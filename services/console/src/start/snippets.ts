import type { KindName } from './kinds.ts'

/** What the code of a snippet needs. */
export type SnippetValues = {
  issuer: string
  authorizationEndpoint: string
  tokenEndpoint: string
  introspectionEndpoint: string
  clientId: string
  /** Empty for a public client. */
  clientSecret: string
  /** Space-separated. */
  scope: string
  /** Empty for an app without a login. */
  redirectUri: string
  /** The identifier of the resource server; empty for everything else. */
  identifier: string
}

/** Code to copy. */
type Snippet = { name: string; code(values: SnippetValues): string }

const quoted = (text: string) => JSON.stringify(text)
const inShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const lines = (...parts: (string | false)[]) => parts.filter((part) => part !== false).join('\n')
const insecure = ({ issuer }: SnippetValues) =>
  issuer.startsWith('http:') ? ', execute: [oauth.allowInsecureRequests]' : ''

const environment: Snippet = {
  name: '.env',
  code: (values) =>
    lines(
      `OAUTH_ISSUER=${values.issuer}`,
      `OAUTH_AUTHORIZATION_ENDPOINT=${values.authorizationEndpoint}`,
      `OAUTH_TOKEN_ENDPOINT=${values.tokenEndpoint}`,
      `OAUTH_CLIENT_ID=${values.clientId}`,
      values.clientSecret !== '' && `OAUTH_CLIENT_SECRET=${values.clientSecret}`,
      values.redirectUri !== '' && `OAUTH_REDIRECT_URI=${values.redirectUri}`,
      `OAUTH_SCOPE="${values.scope}"`,
      values.identifier !== '' && `OAUTH_AUDIENCE=${values.identifier}`,
    ),
}

const nodeConfiguration = (
  values: SnippetValues,
) => `import * as oauth from 'openid-client' // npm install openid-client

const config = await oauth.discovery(
  new URL(${quoted(values.issuer)}),
  ${quoted(values.clientId)},
  ${values.clientSecret === '' ? 'undefined, oauth.None()' : `${quoted(values.clientSecret)}, undefined`},
  { algorithm: 'oauth2'${insecure(values)} },
)`

const machine: readonly Snippet[] = [
  {
    name: 'curl',
    code: ({ tokenEndpoint, clientId, clientSecret, scope }) =>
      `curl -s ${inShell(tokenEndpoint)} \\
  -u ${inShell(`${clientId}:${clientSecret}`)} \\
  -d grant_type=client_credentials --data-urlencode ${inShell(`scope=${scope}`)}`,
  },
  {
    name: 'Node.js',
    code: (values) => `${nodeConfiguration(values)}
const tokens = await oauth.clientCredentialsGrant(config, { scope: ${quoted(values.scope)} })
console.log(tokens.access_token)`,
  },
  {
    name: 'Python',
    code: ({ tokenEndpoint, clientId, clientSecret, scope }) => `# pip install authlib requests
from authlib.integrations.requests_client import OAuth2Session

session = OAuth2Session(${quoted(clientId)}, ${quoted(clientSecret)}, scope=${quoted(scope)})
token = session.fetch_token(${quoted(tokenEndpoint)}, grant_type="client_credentials")
print(token["access_token"])`,
  },
  {
    name: 'Go',
    code: ({ tokenEndpoint, clientId, clientSecret, scope }) => `package main // go get golang.org/x/oauth2

import (
	"context"
	"fmt"
	"log"

	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	config := clientcredentials.Config{
		ClientID:     ${quoted(clientId)},
		ClientSecret: ${quoted(clientSecret)},
		TokenURL:     ${quoted(tokenEndpoint)},
		Scopes:       []string{${scope.split(' ').map(quoted).join(', ')}},
	}
	token, err := config.Token(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(token.AccessToken)
}`,
  },
  {
    name: 'Spring Boot',
    code: springRegistration,
  },
  environment,
]

function springRegistration({
  clientId,
  clientSecret,
  scope,
  tokenEndpoint,
  authorizationEndpoint,
  redirectUri,
}: SnippetValues): string {
  return lines(
    '# application.yml, with spring-boot-starter-oauth2-client',
    'spring.security.oauth2.client:',
    '  registration.gatehouse:',
    `    client-id: ${quoted(clientId)}`,
    `    client-secret: ${quoted(clientSecret)}`,
    redirectUri === ''
      ? '    authorization-grant-type: client_credentials'
      : '    authorization-grant-type: authorization_code',
    `    scope: ${scope.split(' ').join(', ')}`,
    redirectUri !== '' && `    redirect-uri: ${quoted(redirectUri)}`,
    '  provider.gatehouse:',
    redirectUri !== '' && `    authorization-uri: ${quoted(authorizationEndpoint)}`,
    `    token-uri: ${quoted(tokenEndpoint)}`,
  )
}

const web: readonly Snippet[] = [
  {
    name: 'Node.js',
    code: (values) => `import { createServer } from 'node:http'
${nodeConfiguration(values)}
const redirectUri = new URL(${quoted(values.redirectUri)})
const logins = new Map() // Keep them in the session of the browser instead.

createServer(async (request, response) => {
  const url = new URL(request.url, redirectUri)
  if (url.pathname !== redirectUri.pathname) {
    const state = oauth.randomState()
    const codeVerifier = oauth.randomPKCECodeVerifier()
    logins.set(state, codeVerifier)
    const address = oauth.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri.href,
      scope: ${quoted(values.scope)},
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    })
    response.writeHead(302, { location: address.href }).end()
    return
  }
  const state = url.searchParams.get('state')
  const tokens = await oauth.authorizationCodeGrant(config, url, {
    pkceCodeVerifier: logins.get(state),
    expectedState: state,
  })
  response.end(\`Logged in. The access token is valid for \${tokens.expires_in} seconds.\`)
}).listen(redirectUri.port || 80)`,
  },
  {
    name: 'Python',
    code: ({
      clientId,
      clientSecret,
      scope,
      authorizationEndpoint,
      tokenEndpoint,
      redirectUri,
    }) => `# pip install authlib flask requests
import os

from authlib.integrations.flask_client import OAuth
from flask import Flask

app = Flask(__name__)
app.secret_key = os.urandom(32)
gatehouse = OAuth(app).register(
    "gatehouse",
    client_id=${quoted(clientId)},
    client_secret=${quoted(clientSecret)},
    authorize_url=${quoted(authorizationEndpoint)},
    access_token_url=${quoted(tokenEndpoint)},
    client_kwargs={"scope": ${quoted(scope)}, "code_challenge_method": "S256"},
)


@app.get("/")
def log_in():
    return gatehouse.authorize_redirect(${quoted(redirectUri)})


@app.get(${quoted(pathOf(redirectUri))})
def logged_in():
    token = gatehouse.authorize_access_token()
    return f"Logged in. The access token is valid for {token['expires_in']} seconds."


app.run(port=${portOf(redirectUri)})`,
  },
  { name: 'Spring Boot', code: springRegistration },
  environment,
]

function pathOf(address: string): string {
  return URL.canParse(address) ? new URL(address).pathname : '/callback'
}

function portOf(address: string): string {
  return (URL.canParse(address) && new URL(address).port) || '80'
}

const spa: readonly Snippet[] = [
  {
    name: 'JavaScript',
    code: ({
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

if (new URLSearchParams(location.search).has('code')) {
  const { access_token } = await client.processSigninResponse(location.href)
} else {
  const { url } = await client.createSigninRequest({})
  location.assign(url)
}`,
  },
  environment,
]

const resource: readonly Snippet[] = [
  {
    name: 'curl',
    code: ({ introspectionEndpoint, clientId, clientSecret }) =>
      `# The answer has "active": true, and "aud" with this server's identifier, for a token that counts here.
curl -s ${inShell(introspectionEndpoint)} -u ${inShell(`${clientId}:${clientSecret}`)} -d token="$ACCESS_TOKEN"`,
  },
  {
    name: 'Node.js',
    code: (values) => `${nodeConfiguration(values)}

/** Who sent a request, or undefined when its access token does not count here. */
export async function callerOf(authorization = '') {
  const [, token] = /^Bearer (\\S+)$/i.exec(authorization) ?? []
  if (token === undefined) return undefined
  const found = await oauth.tokenIntrospection(config, token)
  const forUs = [found.aud].flat().includes(${quoted(values.identifier)})
  return found.active && forUs ? { subject: found.sub, scope: found.scope.split(' ') } : undefined
}`,
  },
  environment,
]

/** The code to copy for each kind of app, the best first. */
export const snippets: Readonly<Record<KindName, readonly Snippet[]>> = {
  web,
  spa,
  native: [web[0] ?? environment, environment],
  machine,
  mcp: [
    {
      name: 'Metadata',
      code: ({ issuer, identifier, scope }) =>
        `// Serve this at /.well-known/oauth-protected-resource of the MCP server (RFC 9728).
${JSON.stringify({ resource: identifier, authorization_servers: [issuer], scopes_supported: scope.split(' '), bearer_methods_supported: ['header'] }, undefined, 2)}`,
    },
    ...resource,
  ],
  resource,
}
