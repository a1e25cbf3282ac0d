import { createHmac } from 'node:crypto'
import { BenchFailure } from './failure.ts'
import { type Answer, post } from './http.ts'
import type { Phase } from './options.ts'

/** The client's credentials, and the secret that signs its tokens; the same for Gatehouse and its peer. */
export type Credentials = {
  clientId: string
  clientSecret: string
  jwtSecret: string
  /** The algorithm that signs; by default HS256. */
  algorithm?: string | undefined
}

/** The form of a token request. */
export function issueForm({ clientId, clientSecret }: Credentials): string {
  const form = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: 'read',
  }
  return new URLSearchParams(form).toString()
}

/**
 * Gets tokens.
 * @param form the form of a token request
 * @throws BenchFailure when a request is refused
 */
export async function issueTokens(url: string, form: string, count: number): Promise<string[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => post(url, form)))
  return answers.map((answer) => parse(answer, url).access_token as string)
}

/**
 * Checks an answer: a JWT of the algorithm, with a valid signature if that is HS256, or an active token.
 * @throws BenchFailure when it is not
 */
export function checkAnswer(phase: Phase, answer: Answer, credentials: Credentials, subject: string): void {
  const body = parse(answer, subject)
  const right = phase === 'issue' ? isOurJwt(String(body.access_token), credentials) : body.active === true
  if (!right)
    throw new BenchFailure(`${subject} does not answer as it should: ${phase} gave another kind of token`)
}

function parse({ status, text }: Answer, subject: string): Record<string, unknown> {
  if (status !== 200) throw new BenchFailure(`${subject} refuses the benchmark's request: ${status} ${text}`)
  return JSON.parse(text)
}

function isOurJwt(token: string, { clientId, jwtSecret, algorithm = 'HS256' }: Credentials): boolean {
  const [header = '', claims = '', signature] = token.split('.')
  const { alg, typ } = decode(header)
  return (
    alg === algorithm &&
    typ === 'at+jwt' &&
    decode(claims).client_id === clientId &&
    (algorithm !== 'HS256' || signature === sign(`${header}.${claims}`, jwtSecret))
  )
}

/** The token that Gatehouse would have issued with these claims. */
export function tokenWith(claims: object, jwtSecret: string): string {
  const input = [{ alg: 'HS256', typ: 'at+jwt' }, claims].map(encode).join('.')
  return `${input}.${sign(input, jwtSecret)}`
}

function sign(input: string, secret: string): string {
  return createHmac('sha256', secret).update(input).digest('base64url')
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(part: string): Record<string, unknown> {
  return part === '' ? {} : JSON.parse(Buffer.from(part, 'base64url').toString())
}
