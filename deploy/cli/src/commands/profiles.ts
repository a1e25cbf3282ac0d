import type { Command } from 'commander'
import type { CommandDeps } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { table } from '../output.ts'
import { type Profile, readProfiles, writeProfiles } from '../profiles.ts'

/** gatehouse login, gatehouse logout and gatehouse profiles …, for several servers. */
export function profileCommands(program: Command, deps: CommandDeps): void {
  const { environment, terminal, show } = deps
  const say = (line: string) => void terminal.errors.write(`${line}\n`)

  program
    .command('login')
    .description('log in with a browser, and stay logged in')
    .option('--client-id <id>', 'the client as which people log in; it is remembered')
    .option('--scope <scope>', 'what the login may do', 'admin')
    .option('--no-browser', 'only show the address to open')
    .action(async ({ clientId: given, scope, browser }: LoginOptions) => {
      const { name, profile, url } = await deps.place()
      if (profile !== undefined && profile.url !== url)
        throw new CommandFailure(
          `The profile ${name} is for ${profile.url}. For ${url}: gatehouse profiles add … --url ${url}`,
          exitCodes.usage,
        )
      const clientId = given ?? profile?.clientId
      if (clientId === undefined) throw new CommandFailure(howToBegin, exitCodes.usage)
      const { logInByBrowser } = await import('../browser-login.ts')
      const login = await logInByBrowser({ url, clientId, scope, say, opens: browser })
      await change((profiles) => ({ ...profiles, [name]: { url, clientId, login } }), name)
      show({ json: { profile: name, url }, text: `You are logged in at ${url}.` })
    })

  program
    .command('logout')
    .description('end the login, and revoke its tokens')
    .action(async () => {
      const { name, profile } = await deps.place()
      if (profile?.login === undefined) throw new CommandFailure('You are not logged in.')
      const { login, ...rest } = profile
      const { endLogin } = await import('../browser-login.ts')
      await endLogin(login, { url: profile.url, clientId: profile.clientId ?? '' })
      await change((profiles) => ({ ...profiles, [name]: rest }))
      show({ json: { profile: name, logged_in: false }, text: `You are logged out at ${profile.url}.` })
    })

  const profiles = program.command('profiles').description('servers that commands are for')
  profiles
    .command('list')
    .description('list the profiles')
    .action(async () => {
      const { current, profiles } = await readProfiles(environment)
      const items = Object.entries(profiles).map(([name, { url, login }]) => ({
        name,
        url,
        logged_in: login !== undefined,
        current: name === current,
      }))
      const columns = { name: 'name', url: 'url', 'logged in': 'logged_in', current: 'current' } as const
      show({ json: { items }, text: table(items, columns, 'No profiles.') })
    })
  profiles
    .command('add <name>')
    .description('add a profile for the server at --url, and use it')
    .action(async (name: string) => {
      const { url } = await deps.place('')
      if (!program.opts().url) throw new CommandFailure('Name the server with --url.', exitCodes.usage)
      await change((others) => ({ ...others, [name]: { url } }), name)
      show({ json: { name, url }, text: `Commands are for ${url} now.` })
    })
  profiles
    .command('use <name>')
    .description('use a profile from now on')
    .action(async (name: string) => {
      const { profiles } = await readProfiles(environment)
      const { url } = known(profiles, name)
      await change((same) => same, name)
      show({ json: { name, url }, text: `Commands are for ${url} now.` })
    })
  profiles
    .command('remove <name>')
    .description('remove a profile; its login is not revoked: see logout')
    .action(async (name: string) => {
      await change((all) => {
        known(all, name)
        return Object.fromEntries(Object.entries(all).filter(([other]) => other !== name))
      })
      show({ json: { name, removed: true }, text: `${name} is removed.` })
    })

  /** @param current the profile to use from now on; absent for the same as before */
  async function change(
    changed: (profiles: Record<string, Profile>) => Record<string, Profile>,
    current?: string,
  ): Promise<void> {
    const before = await readProfiles(environment)
    await writeProfiles(
      { ...before, ...(current && { current }), profiles: changed(before.profiles) },
      environment,
    )
  }
}

type LoginOptions = { clientId?: string; scope: string; browser: boolean }

const howToBegin = `No client for logins. An owner creates one, once:
  gatehouse clients create --name "Command line" --public --grant-type authorization_code \\
    --grant-type refresh_token --redirect-uri http://127.0.0.1/callback --scope admin
Then: gatehouse login --client-id client_…`

function known(profiles: Record<string, Profile>, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile === undefined) throw new CommandFailure(`There is no profile ${name}.`, exitCodes.notFound)
  return profile
}
