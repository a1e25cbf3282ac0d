import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { credentialsOf } from '@gatehouse/test/oauth'
import type { RegisteredClient, TestSystem } from '@gatehouse/test/system'

/** An app with clients at the system under test, and a server for its redirect URIs. */
export type App = {
  origin: string
  redirectUri: string
  /** The parameters of the requests to its redirect URI, oldest first. */
  answers: Record<string, string>[]
  /** Registers a client. */
  register(metadata?: Record<string, unknown>): Promise<RegisteredClient>
  /** The address of an authorization request. */
  authorizeAddress(client: RegisteredClient, parameters?: Record<string, string>): string
  /** Redeems the last code. */
  redeem(client: RegisteredClient): Promise<Tokens>
  stop(): Promise<void>
}

/** The token endpoint's response. */
export type Tokens = { access_token: string; refresh_token: string; scope: string }

const codeVerifier = 'a code verifier of at least 43 characters'.replaceAll(' ', '-').padEnd(43, '-')

/** Starts the app. `/elsewhere` redirects the browser to another origin of the app. */
export async function startApp(system: TestSystem): Promise<App> {
  const answers: App['answers'] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://app.invalid')
    if (pathname === '/callback') answers.push(Object.fromEntries(searchParams))
    if (pathname === '/elsewhere') {
      const { port } = server.address() as AddressInfo
      response.writeHead(302, { location: `http://localhost:${port}/callback?${searchParams}` }).end()
      return
    }
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<!doctype html><title>The app</title><link rel="icon" href="data:,"><h1>The app</h1>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const redirectUri = `${origin}/callback`
  return {
    origin,
    redirectUri,
    answers,
    register: (metadata = {}) =>
      system.register({
        client_name: 'Acme',
        redirect_uris: [redirectUri],
        scope: 'read profile',
        ...metadata,
      }),
    authorizeAddress({ client_id }, parameters = {}) {
      const query = new URLSearchParams({
        response_type: 'code',
        client_id,
        redirect_uri: redirectUri,
        state: 'the state',
        code_challenge: hash('sha256', codeVerifier, 'base64url'),
        code_challenge_method: 'S256',
        ...parameters,
      })
      return `${system.baseUrl}/oauth/authorize?${query}`
    },
    async redeem(client) {
      const response = await system.form('/oauth/token', {
        grant_type: 'authorization_code',
        code: answers.at(-1)?.code ?? '',
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
        ...credentialsOf(client),
      })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`the token endpoint answered ${response.status}: ${text}`)
      return JSON.parse(text)
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
