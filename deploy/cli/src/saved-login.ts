import { fileVariableOf } from '@gatehouse/kit/config/secret-file'
import type { Credentials } from './credentials.ts'
import { type ChosenProfile, readProfiles, writeProfiles } from './profiles.ts'

type Environment = Record<string, string | undefined>

/** The variables of which each stands for other credentials. */
const credentialVariables = ['GATEHOUSE_TOKEN', 'GATEHOUSE_PASSWORD']
  .flatMap((name) => [name, fileVariableOf(name)])
  .concat('GATEHOUSE_CLIENT_ID', 'GATEHOUSE_USERNAME')

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
  if (credentialVariables.some((variable) => environment[variable])) return undefined
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
