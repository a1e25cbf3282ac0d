import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A client's endpoint for logout tokens. */
export type LogoutReceiver = {
  url: string
  /** The forms that it got, oldest first. */
  forms: URLSearchParams[]
  /** The logout tokens that it got, oldest first. */
  tokens(): string[]
  close(): void
}

/** Starts an endpoint for logout tokens on loopback. @param answer how it answers; 200 by default */
export async function startLogoutReceiver(
  answer: (response: ServerResponse) => void = (response) => response.end(),
): Promise<LogoutReceiver> {
  const forms: URLSearchParams[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded'
    if (request.method === 'POST' && isForm) forms.push(new URLSearchParams(Buffer.concat(chunks).toString()))
    answer(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout?app=1`,
    forms,
    tokens: () => forms.map((form) => form.get('logout_token') ?? ''),
    close: () => server.close().closeAllConnections(),
  }
}
