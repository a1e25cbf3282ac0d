import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CommandFailure, exitCodes } from './failure.ts'
import type { Terminal } from './terminal.ts'

/** What an administrator, or their program, is let in by. */
export type Credentials =
  | { kind: 'token'; token: string }
  | { kind: 'client'; clientId: string; clientSecret: string }
  | { kind: 'user'; username: string; password: string }

type Environment = Record<string, string | undefined>

/**
 * Finds what to be let in by: an access token, a client's credentials, or a user's name and password, for which a person
 * at a terminal is asked. Only from the environment, since other users of a machine see command lines.
 * @throws CommandFailure when there is none and nobody to ask
 */
export async function findCredentials(environment: Environment, terminal: Terminal): Promise<Credentials> {
  const { GATEHOUSE_TOKEN: token, GATEHOUSE_CLIENT_ID: clientId } = environment
  if (token) return { kind: 'token', token }
  if (clientId) {
    const clientSecret = environment.GATEHOUSE_CLIENT_SECRET
    if (clientSecret) return { kind: 'client', clientId, clientSecret }
    throw new CommandFailure(
      'GATEHOUSE_CLIENT_ID is set, but GATEHOUSE_CLIENT_SECRET is not.',
      exitCodes.usage,
    )
  }
  const username = environment.GATEHOUSE_USERNAME || 'admin'
  const password = environment.GATEHOUSE_PASSWORD || (await askPassword(username, terminal))
  return { kind: 'user', username, password }
}

async function askPassword(username: string, { input, errors }: Terminal): Promise<string> {
  if (!input.isTTY) {
    throw new CommandFailure(
      'No credentials. Set GATEHOUSE_USERNAME and GATEHOUSE_PASSWORD, or GATEHOUSE_CLIENT_ID and ' +
        'GATEHOUSE_CLIENT_SECRET of a client with the scope admin, or GATEHOUSE_TOKEN.',
      exitCodes.notLetIn,
    )
  }
  errors.write(`Password of ${username}: `)
  // A terminal shows what is written to it: nothing is.
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
 * Asks before something that cannot be undone.
 * @param what will happen, as a sentence
 * @throws CommandFailure when the answer is no, or there is nobody to ask
 */
export async function confirm(what: string, { input, errors }: Terminal): Promise<void> {
  if (!input.isTTY) {
    throw new CommandFailure(`${what} Say --yes if that is meant.`, exitCodes.usage)
  }
  const terminal = createInterface({ input, output: errors })
  try {
    const answer = await terminal.question(`${what} Go on? [y/N] `)
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('Nothing was done.')
  } finally {
    terminal.close()
  }
}
