import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { browse, type CookieJar } from '../browser/browser-login.ts'

/** Gatehouse's credentials at a substitute for a provider. The secret must not be in any log. */
export const standInClient = { clientId: 'gatehouse', clientSecret: 'the secret of gatehouse at a provider' }

/** A website that replaces a provider's. */
export type StandIn = {
  origin: string
  /** The requests that it got, oldest first: method, path and content. */
  requests: { line: string; parameters: URLSearchParams }[]
  /** Its current fault. `slow`: it does not answer. A number: it answers with that status. */
  trouble: 'none' | 'down' | 'slow' | number
  /** Limits the fault to paths with this ending; empty for all paths. */
  troubledPath: string
  close(): Promise<void>
}

/** Answers a request whose body was read already. */
export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

/** Starts a website on the loopback address. */
export async function startStandIn(answer: Answer): Promise<StandIn> {
  const server = createServer(async (request, response) => {
    const address = new URL(request.url ?? '/', 'http://stand-in.invalid')
    let body = ''
    for await (const chunk of request) body += chunk
    const parameters = new URLSearchParams(body || address.search)
    standIn.requests.push({ line: `${request.method} ${address.pathname}`, parameters })
    const { trouble } = standIn
    if (trouble !== 'none' && address.pathname.endsWith(standIn.troubledPath)) {
      if (trouble === 'down') request.socket.destroy()
      else if (trouble !== 'slow')
        response.writeHead(trouble, { 'content-type': 'text/plain' }).end('trouble')
      return
    }
    await answer(request, response, body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const standIn: StandIn = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    trouble: 'none',
    troubledPath: '',
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return standIn
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** A page that asks a person whether to log in, as links to both answers. */
export function sendQuestion(response: ServerResponse, address: string): void {
  response.writeHead(200, { 'content-type': 'text/html' })
  response.end(
    `<!doctype html><title>A provider</title><link rel="icon" href="data:,"><h1>A provider</h1>
    <a href="${address}answer=allow">Continue</a> <a href="${address}answer=deny">Cancel</a>`,
  )
}

/**
 * Logs in at a substitute for a provider, with a new browser.
 * @param address the URL to which Gatehouse sent the browser
 * @param answer the person's answer there
 * @returns the URL to which the browser is sent back, with the answer
 */
export async function answerAt(
  { origin }: Pick<StandIn, 'origin'>,
  address: string,
  answer: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  const jar: CookieJar = new Map()
  let next = new URL(address)
  for (let step = 0; step < 8; step += 1) {
    const response = await browse({ baseUrl: origin }, jar, next)
    const text = await response.text()
    const link = new RegExp(`href="([^"]*answer=${answer})"`).exec(text)?.[1]
    const location = response.headers.get('location') ?? link?.replaceAll('&amp;', '&')
    if (!location) throw new Error(`the stand-in answered ${response.status} ${text.slice(0, 500)}`)
    next = new URL(location, next)
    if (next.origin !== origin) return next
  }
  throw new Error('the stand-in does not send the browser back')
}
