import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { decodeJwt } from 'jose/jwt/decode'
import { CommandFailure, exitCodes } from './failure.ts'
import { secretVariable } from './secret-variable.ts'
import type { Terminal } from './terminal.ts'

/** The credentials of an administrator or their program. */
export type Credentials =
  | { kind: 'token'; token: string }
  | { kind: 'client'; clientId: string; clientSecret: string }
  | { kind: 'user'; username: string; password: string }

type Environment = Record<string, string | undefined>

/**
 * Finds the credentials: an access token, a client's id and secret, or a user's name and password; a person at a terminal
 * is asked for the password. They come only from the environment and its files, since other users of a machine can see command lines.
 * @throws CommandFailure when there are none and no terminal to ask at
 */
export async function findCredentials(environment: Environment, terminal: Terminal): Promise<Credentials> {
  const clientId = environment.GATEHOUSE_CLIENT_ID
  const token = secretVariable('GATEHOUSE_TOKEN', environment)
  if (token) return { kind: 'token', token }
  if (clientId) {
    const clientSecret = secretVariable('GATEHOUSE_CLIENT_SECRET', environment)
    if (clientSecret) return { kind: 'client', clientId, clientSecret }
    throw new CommandFailure(
      'GATEHOUSE_CLIENT_ID is set, but GATEHOUSE_CLIENT_SECRET is not.',
      exitCodes.usage,
    )
  }
  const username = environment.GATEHOUSE_USERNAME || 'admin'
  const password =
    secretVariable('GATEHOUSE_PASSWORD', environment) ?? (await askPassword(username, terminal))
  return { kind: 'user', username, password }
}

/** The client as which a command runs; undefined when it runs as a user, or the token does not tell. */
export function clientIdOf(environment: Environment): string | undefined {
  const token = secretVariable('GATEHOUSE_TOKEN', environment)
  if (!token) return environment.GATEHOUSE_CLIENT_ID || undefined
  try {
    const { client_id: id } = decodeJwt(token)
    return typeof id === 'string' ? id : undefined
  } catch {
    return undefined
  }
}

async function askPassword(username: string, { input, errors }: Terminal): Promise<string> {
  if (!input.isTTY) {
    throw new CommandFailure(
      'No credentials. Set GATEHOUSE_USERNAME and GATEHOUSE_PASSWORD, or GATEHOUSE_CLIENT_ID and ' +
        'GATEHOUSE_CLIENT_SECRET of a client with the scope admin, or GATEHOUSE_TOKEN.',
      exitCodes.notAuthorized,
    )
  }
  errors.write(`Password of ${username}: `)
  // Nothing is written to the terminal, so it does not show the password.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input, output: nowhere, terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    errors.write('\n')
  }
}

/**
 * Asks for confirmation of something that cannot be undone.
 * @param what the consequence of a yes, as a sentence
 * @throws CommandFailure when the answer is no, or there is no terminal to ask at
 */
export async function confirm(what: string, { input, errors }: Terminal): Promise<void> {
  if (!input.isTTY) {
    throw new CommandFailure(`${what} Use --yes to confirm.`, exitCodes.usage)
  }
  const terminal = createInterface({ input, output: errors })
  try {
    const answer = await terminal.question(`${what} Continue? [y/N] `)
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('Nothing was done.')
  } finally {
    terminal.close()
  }
}
