import { homedir } from 'node:os'
import { join } from 'node:path'
import { CommandFailure, exitCodes } from './failure.ts'
import { readOwnFile, writeOwnFile } from './own-file.ts'

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
  return file || join(home || join(homeOf(), '.config'), 'gatehouse', 'profiles.json')
}

/** @throws CommandFailure for a user id that the operating system does not know, where HOME is not set */
function homeOf(): string {
  try {
    return homedir()
  } catch {
    throw new CommandFailure('This user has no home folder. Set GATEHOUSE_CONFIG to a file of your own.')
  }
}

/** Reads the profiles. @throws CommandFailure when the file is damaged, or not the user's own */
export async function readProfiles(environment: Environment): Promise<Profiles> {
  const file = fileOf(environment)
  const content = await readOwnFile(file)
  if (content === undefined) return { profiles: {} }
  try {
    const { current, profiles } = JSON.parse(content) as Profiles
    return { ...(current !== undefined && { current }), profiles: { ...profiles } }
  } catch {
    throw new CommandFailure(`${file} is damaged: repair or delete it.`)
  }
}

/** Writes the profiles. Only their owner can read the file, since tokens are in it. @throws CommandFailure when that fails */
export async function writeProfiles(profiles: Profiles, environment: Environment): Promise<void> {
  await writeOwnFile(fileOf(environment), `${JSON.stringify(profiles, undefined, 2)}\n`)
}

/**
 * The profile of a command: the one that is named, or else the current one.
 * @param named the name that --profile or GATEHOUSE_PROFILE gives; empty for neither
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
