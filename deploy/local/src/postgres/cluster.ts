import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, StartFailure } from '../failure.ts'
import type { Account } from './account.ts'

/** The superuser, and the database of the system. */
export const databaseUser = 'gatehouse'
export const databaseName = 'gatehouse'

/**
 * Creates the database's files unless they exist.
 * @param account the owner of the files
 * @param durable whether to wait until they are on disk
 * @param signal stops the work
 * @returns the superuser's password
 * @throws StartFailure when initdb fails
 */
export async function ensureCluster(
  account: Account,
  durable: boolean,
  signal?: AbortSignal,
): Promise<string> {
  const data = join(account.home, 'data')
  const passwordFile = join(account.home, 'password')
  if (existsSync(data)) {
    try {
      return (await readFile(passwordFile, 'utf8')).trim()
    } catch {
      throw new StartFailure(`${passwordFile} cannot be read: restore it; it opens the database in ${data}`)
    }
  }
  for (const entry of await readdir(account.home)) {
    if (entry.startsWith('data.new')) await rm(join(account.home, entry), { recursive: true })
  }
  const password = randomBytes(24).toString('hex')
  await rm(passwordFile, { force: true })
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
  await account.adopt(passwordFile)
  // The folder gets its name when it is complete. Until then its name is unique, because the initdb of a killed launcher may
  // still be writing.
  const unfinished = join(account.home, `data.new.${process.pid}.${randomBytes(4).toString('hex')}`)
  await runInitdb(account, { data: unfinished, passwordFile, durable, signal })
  await rename(unfinished, data)
  return password
}

type Making = { data: string; passwordFile: string; durable: boolean; signal: AbortSignal | undefined }

async function runInitdb(account: Account, { data, passwordFile, durable, signal }: Making): Promise<void> {
  const initdb = [
    join(account.binaries, 'bin', 'initdb'),
    ...[`--pgdata=${data}`, '--auth=scram-sha-256', `--username=${databaseUser}`, `--pwfile=${passwordFile}`],
    // The built-in provider sorts and changes case in the same way on every machine, whatever locales it has.
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...['--no-instructions', ...(durable ? [] : ['--no-sync'])],
  ]
  const [program = '', ...args] = [...account.prefix, ...initdb]
  const child = spawn(program, args, {
    ...account.options,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
    ...(signal && { signal }),
  })
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    // After the signal it writes until it has ended, and the next start must not run at the same time.
    child.once('error', (error) => {
      if (child.pid === undefined) reject(error)
    })
    child.once('close', resolve)
  }).catch((error) => {
    signal?.throwIfAborted()
    throw new StartFailure(`The database cannot be made in ${data}: ${messageOf(error)}`)
  })
  if (code === 0) return
  signal?.throwIfAborted()
  const lines = output.trim().split('\n')
  const errorLine = lines.find((line) => /\b(error|fatal):/i.test(line)) ?? lines.at(-1)
  throw new StartFailure(
    `The database cannot be made in ${data}: ${errorLine || `initdb ended with ${code}`}`,
  )
}
