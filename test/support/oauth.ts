import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { RegisteredClient, Requests } from './system.ts'

/** The form of an error code (RFC 6749 section 5.2: no quotes and no backslash). */
const describable = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/

/** The parts of an answer that expectRefusal checks, of a Response or of an answer read from a socket. */
export type Answer = {
  status: number
  headers: { get(name: string): string | null }
  text(): Promise<string>
}

/**
 * Expects a refusal as the interface defines it: status, JSON, `error`, `error_description`, and no internal details.
 * @returns the description
 */
export async function expectRefusal(answer: Answer, status: number, code: string): Promise<string> {
  const text = await answer.text()
  expect([answer.status, text]).toEqual([status, expect.stringContaining(`"${code}"`)])
  return expectErrorBody(answer, text, code)
}

/** Expects the body of an error, whatever its status. */
export function expectErrorBody(answer: Pick<Answer, 'headers'>, text: string, code?: string): string {
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  const body = JSON.parse(text)
  expect(body).toEqual({
    error: code ?? expect.stringMatching(/^[a-z_]+$/),
    error_description: expect.stringMatching(describable),
  })
  expect(text).not.toMatch(/\bat .*:\d+:\d+|node_modules|\.ts\b|SELECT|prisma|FST_/i)
  return body.error_description
}

/** Expects that no cache may store the answer. */
export function expectNotStored(answer: Pick<Answer, 'headers'>): void {
  expect([answer.headers.get('cache-control'), answer.headers.get('pragma')]).toEqual([
    'no-store',
    'no-cache',
  ])
}

/** The header for HTTP Basic, with both parts unencoded. */
export function basic(clientId: string, clientSecret: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` }
}

/** A client's credentials as parameters of a form. */
export function credentialsOf({ client_id, client_secret }: RegisteredClient) {
  return { client_id, client_secret }
}

/** Gets an access token for a client. */
export async function issueToken(
  system: Pick<Requests, 'form'>,
  client: RegisteredClient,
  scope?: string,
): Promise<string> {
  const response = await system.form('/oauth/token', {
    grant_type: 'client_credentials',
    ...credentialsOf(client),
    ...(scope !== undefined && { scope }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`the token endpoint answered ${response.status}: ${text}`)
  return JSON.parse(text).access_token
}

/** The unparsed body of an introspection's answer. */
export async function introspectionOf(system: Pick<Requests, 'form'>, token: string): Promise<string> {
  const response = await system.form('/oauth/introspect', { token })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`introspection answered ${response.status}: ${text}`)
  return text
}

/** Waits until the system says that it is ready. */
export async function untilReady(system: Pick<Requests, 'request'>, withinMs = 20_000): Promise<void> {
  await until(async () => {
    const response = await system.request('/ready').catch(() => undefined)
    await response?.body?.cancel()
    return response?.status === 200
  }, withinMs)
}

/** Repeats a check until it succeeds. */
export async function until(isSo: () => Promise<boolean> | boolean, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`it was not so within ${withinMs} ms: ${isSo}`)
    await sleep(50)
  }
}
