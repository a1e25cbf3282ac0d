import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandFailure, exitCodes } from './failure.ts'

type Environment = Record<string, string | undefined>

/** A server, and the login there. */
export type Profile = {
  url: string
  /** The client as which people log in. */
  clientId?: string
  login?: Login
}

/** The tokens of a login in a browser. */
export type Login = {
  accessToken: string
  /** In milliseconds since the epoch. */
  expiresAt: number
  refreshToken?: string
}

/** All profiles, as the file has them. */
export type Profiles = { current?: string; profiles: Record<string, Profile> }

/** The profile of a command. */
export type ChosenProfile = { name: string; profile: Profile | undefined }

/** The file with the profiles: GATEHOUSE_CONFIG, or one in the directory for such files (XDG_CONFIG_HOME). */
function fileOf({ GATEHOUSE_CONFIG: file, XDG_CONFIG_HOME: home }: Environment): string {
  return file || join(home || join(homedir(), '.config'), 'gatehouse', 'profiles.json')
}

/** Reads the profiles. @throws CommandFailure when the file is damaged */
export async function readProfiles(environment: Environment): Promise<Profiles> {
  const file = fileOf(environment)
  let content: string
  try {
    content = await readFile(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { profiles: {} }
    throw new CommandFailure(`${file} cannot be read (${code}).`)
  }
  try {
    const { current, profiles } = JSON.parse(content) as Profiles
    return { ...(current !== undefined && { current }), profiles: { ...profiles } }
  } catch {
    throw new CommandFailure(`${file} is damaged: repair or delete it.`)
  }
}

/** Writes the profiles. Only their owner can read the file, since tokens are in it. @throws CommandFailure when that fails */
export async function writeProfiles(profiles: Profiles, environment: Environment): Promise<void> {
  const file = fileOf(environment)
  const draft = `${file}.${process.pid}`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(draft, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw new CommandFailure(`${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/**
 * The profile of a command: the one that is named, or else the current one.
 * @param named what --profile or GATEHOUSE_PROFILE says; empty for neither
 * @throws CommandFailure when no profile has that name
 */
export function chosenProfile({ current = 'default', profiles }: Profiles, named: string): ChosenProfile {
  if (named !== '' && !Object.hasOwn(profiles, named))
    throw new CommandFailure(
      `There is no profile ${named}. Add it: gatehouse profiles add ${named} --url …`,
      exitCodes.usage,
    )
  const name = named || current
  return { name, profile: Object.hasOwn(profiles, name) ? profiles[name] : undefined }
}
