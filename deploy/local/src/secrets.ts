import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StartFailure } from './failure.ts'
import { refuseOthersFile } from './owner.ts'

/** The content of a data directory's secrets.json. */
export type Secrets = {
  jwtSecret: string
  sessionKey: string
  factorKey: string
  /** Only until the first start has succeeded: then the database has its hash, and nobody needs it here. */
  adminPassword?: string
}

/**
 * Reads the secrets of a data directory, or generates them if it has none.
 * @param directory an existing directory
 * @throws StartFailure when the file exists but cannot be used
 */
export async function loadSecrets(directory: string): Promise<Secrets> {
  const file = join(directory, 'secrets.json')
  const text = await readOwn(file)
  if (text === undefined) {
    const secrets = { jwtSecret: newSecret(), sessionKey: newSecret(), factorKey: newSecret() }
    await saveSecrets(directory, secrets)
    return secrets
  }
  const secrets = parse(text)
  if (!secrets) {
    throw new StartFailure(
      `${file} is damaged: restore it, or delete it to get new secrets (every token and login ends)`,
    )
  }
  return secrets
}

/** Reads a file that only its owner may read from then on. @returns undefined when there is none. @throws StartFailure */
async function readOwn(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, 'r')
    try {
      refuseOthersFile(file, await handle.stat())
      await handle.chmod(0o600)
      return await handle.readFile('utf8')
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof StartFailure) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new StartFailure(`${file} cannot be read (${code}): make it yours`)
  }
}

/** Replaces all secrets of a data directory at once; only the owner can read them. */
export async function saveSecrets(directory: string, secrets: Secrets): Promise<void> {
  const file = join(directory, 'secrets.json')
  await rm(`${file}.new`, { force: true })
  // Only a new file: one that somebody put there keeps their mode, or leads elsewhere.
  const handle = await open(`${file}.new`, 'wx', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(secrets, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.new`, file)
}

/**
 * Generates the administrator's password if there is no administrator yet and nobody chose a password. It is kept until a
 * start has succeeded, because a start that failed half-way may have created the administrator already.
 * @param firstStart whether the database has never been used
 * @param chosen the configured password
 * @returns the password to seed and to show, if any
 */
export async function preparePassword(
  directory: string,
  secrets: Secrets,
  firstStart: boolean,
  chosen: string | undefined,
): Promise<string | undefined> {
  if (chosen !== undefined) return undefined
  if (firstStart && secrets.adminPassword === undefined) {
    secrets.adminPassword = newPassword()
    await saveSecrets(directory, secrets)
  }
  return secrets.adminPassword
}

/** Removes the administrator's password from a data directory. */
export async function forgetPassword(directory: string, secrets: Secrets): Promise<void> {
  if (secrets.adminPassword === undefined) return
  const { adminPassword: _, ...kept } = secrets
  await saveSecrets(directory, kept)
}

/** A password that people can read out and type: 100 random bits, without characters that look alike. */
export function newPassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz023456789'
  const characters = Array.from(randomBytes(20), (byte) => alphabet[byte % alphabet.length])
  return [0, 5, 10, 15].map((start) => characters.slice(start, start + 5).join('')).join('-')
}

function newSecret(): string {
  return randomBytes(48).toString('base64url')
}

function parse(text: string): Secrets | undefined {
  let value: Partial<Secrets> | null
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const { jwtSecret, sessionKey, factorKey } = value ?? {}
  const complete = [jwtSecret, sessionKey, factorKey].every((secret) => typeof secret === 'string')
  return complete ? (value as Secrets) : undefined
}
