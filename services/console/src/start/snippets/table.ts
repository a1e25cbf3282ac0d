import type { KindName } from '../kinds.ts'
import { singlePageApp } from './browser.ts'
import { nodeMachine, nodeNative, nodeResource, nodeWeb } from './node.ts'
import { pythonMachine, pythonWeb } from './python.ts'
import { springMachine, springWeb } from './spring.ts'
import { byHttp, lines, quoted, type Snippet, type SnippetValues } from './values.ts'

const inShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

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

const curlMachine: Snippet = {
  name: 'curl',
  code: ({ tokenEndpoint, clientId, clientSecret, scope }) =>
    `curl -s -w '\\n' ${inShell(tokenEndpoint)} \\
  -u ${inShell(`${clientId}:${clientSecret}`)} \\
  -d grant_type=client_credentials --data-urlencode ${inShell(`scope=${scope}`)}`,
}

const goMachine: Snippet = {
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
}

const curlResource: Snippet = {
  name: 'curl',
  code: ({ introspectionEndpoint, clientId, clientSecret }) =>
    `# For a token that is valid here, the answer has "active": true, and "aud" has this server's identifier.
curl -s -w '\\n' ${inShell(introspectionEndpoint)} -u ${inShell(`${clientId}:${clientSecret}`)} -d token="$ACCESS_TOKEN"`,
}

/** The answer of the MCP server where its metadata is (RFC 9728 section 3). */
const protectedResource: Snippet = {
  name: 'Metadata',
  code: ({ issuer, identifier, scope }) => {
    const document = {
      resource: identifier,
      authorization_servers: [issuer],
      scopes_supported: scope.split(' '),
      bearer_methods_supported: ['header'],
    }
    return `# The MCP server answers this, without a login, at ${metadataAddress(identifier)}
cat > oauth-protected-resource.json <<'JSON'
${JSON.stringify(document, undefined, 2)}
JSON`
  },
}

/** Where the metadata of a resource server is (RFC 9728 section 3.1). */
function metadataAddress(identifier: string): string {
  const url = URL.parse(identifier)
  const path = '/.well-known/oauth-protected-resource'
  return url ? `${url.origin}${path}${url.pathname === '/' ? '' : url.pathname}` : path
}

const table: Readonly<Record<KindName, readonly Snippet[]>> = {
  web: [{ ...nodeWeb, when: byHttp }, pythonWeb, ...springWeb, environment],
  spa: [singlePageApp, environment],
  native: [nodeNative, environment],
  machine: [curlMachine, nodeMachine, pythonMachine, goMachine, ...springMachine, environment],
  mcp: [protectedResource, curlResource, nodeResource, environment],
  resource: [curlResource, nodeResource, environment],
}

/** The code to copy for an app of a kind, the best first: all that works with these values. */
export function snippetsFor(kind: KindName, values: SnippetValues): { name: string; code: string }[] {
  return table[kind]
    .filter(({ when }) => when === undefined || when(values))
    .map(({ name, code }) => ({ name, code: code(values) }))
}
