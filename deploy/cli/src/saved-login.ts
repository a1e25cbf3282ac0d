import type { Credentials } from './credentials.ts'
import { type ChosenProfile, readProfiles, writeProfiles } from './profiles.ts'

type Environment = Record<string, string | undefined>

/**
 * The credentials of the login that a profile has.
 * @param url the server of the command: a token is for the server of its profile only
 * @returns undefined without a login, or when the environment names other credentials
 * @throws CommandFailure when the login is over
 */
export async function savedLogin(
  { name, profile, url }: ChosenProfile & { url: string },
  environment: Environment,
): Promise<Credentials | undefined> {
  const { GATEHOUSE_TOKEN, GATEHOUSE_CLIENT_ID, GATEHOUSE_USERNAME, GATEHOUSE_PASSWORD } = environment
  if (GATEHOUSE_TOKEN || GATEHOUSE_CLIENT_ID || GATEHOUSE_USERNAME || GATEHOUSE_PASSWORD) return undefined
  if (profile?.login === undefined || profile.clientId === undefined || profile.url !== url) return undefined
  // Only here, because the library takes longer to load than the rest.
  const { renewed } = await import('./browser-login.ts')
  const login = await renewed(profile.login, { url, clientId: profile.clientId })
  if (login !== profile.login) {
    const { profiles, ...rest } = await readProfiles(environment)
    await writeProfiles({ ...rest, profiles: { ...profiles, [name]: { ...profile, login } } }, environment)
  }
  return { kind: 'token', token: login.accessToken }
}
