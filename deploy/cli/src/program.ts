import { version } from '@gatehouse/kit/release'
import { Command, CommanderError, Option } from 'commander'
import { openApi } from './api.ts'
import type { CommandDeps } from './command.ts'
import { activityCommands } from './commands/activity.ts'
import { adminCommands } from './commands/admin.ts'
import { clientCommands } from './commands/clients.ts'
import { connectionCommands } from './commands/connections/connections.ts'
import { declarationCommands } from './commands/declaration.ts'
import { eventCommands } from './commands/events.ts'
import { groupCommands } from './commands/groups.ts'
import { inspectCommands } from './commands/inspect.ts'
import { keyCommands } from './commands/keys.ts'
import { mailCommands } from './commands/mails.ts'
import { organizationCommands } from './commands/organizations/organizations.ts'
import { profileCommands } from './commands/profiles.ts'
import { resourceCommands } from './commands/resources.ts'
import { roleCommands } from './commands/roles.ts'
import { secretCommands } from './commands/secrets.ts'
import { supportBundleCommand } from './commands/support-bundle.ts'
import { systemCommands } from './commands/system.ts'
import { tokenCommands } from './commands/tokens.ts'
import { userCommands } from './commands/users.ts'
import { completionCommands } from './completion.ts'
import { findCredentials } from './credentials.ts'
import { CommandFailure, exitCodes } from './failure.ts'
import { type Format, formats, formatted, type Output } from './output.ts'
import { chosenProfile, readProfiles } from './profiles.ts'
import { savedLogin } from './saved-login.ts'
import type { Terminal } from './terminal.ts'

type Environment = Record<string, string | undefined>

const groups = [
  clientCommands,
  resourceCommands,
  userCommands,
  groupCommands,
  roleCommands,
  organizationCommands,
  connectionCommands,
  tokenCommands,
  keyCommands,
  secretCommands,
  mailCommands,
  activityCommands,
  eventCommands,
  declarationCommands,
  profileCommands,
  adminCommands,
  systemCommands,
  inspectCommands,
  supportBundleCommand,
]

const help = `
Credentials: a login with gatehouse login, or from the environment, since other users of a machine see
command lines:
  GATEHOUSE_USERNAME and GATEHOUSE_PASSWORD     an administrator (default name: admin; at a terminal
                                                you are asked for the password)
  GATEHOUSE_CLIENT_ID, GATEHOUSE_CLIENT_SECRET  a client with the grant client_credentials and the scope admin
  GATEHOUSE_TOKEN                               an access token with the scope admin
Each of these that is secret may be in a file, such as that of GATEHOUSE_PASSWORD_FILE.

Exit codes: 0 done, 1 refused or failed, 2 invalid command, 3 not authorized, 4 not found, 5 unavailable.

Examples:
  gatehouse status
  gatehouse clients create --name Billing --grant-type client_credentials --scope "read write"
  gatehouse clients rotate-secret client_… --overlap 86400
  gatehouse resources add https://mcp.example.com --scope "mcp:tools=Use its tools"
  gatehouse tokens revoke - < token.txt
  gatehouse users list --output json | jq -r '.items[].username'
  gatehouse apply -f clients.yaml --dry-run`

/**
 * Runs one command.
 * @param words the command line, without node and the program
 * @returns the exit code
 */
export async function runCommand(
  words: readonly string[],
  environment: Environment,
  terminal: Terminal,
): Promise<number> {
  const program = new Command('gatehouse')
  program
    .description('Administers a running Gatehouse.')
    .option(
      '--url <url>',
      'the address of the system (default: that of the profile, or http://localhost:8080)',
    )
    .option('--profile <name>', 'the profile to use instead of the current one')
    .addOption(new Option('-o, --output <format>', 'how results are shown').choices(formats).default('table'))
    .option('--json', 'the same as --output json', false)
    .version(version, '-V, --version', 'show the version')
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 20 })
    .addHelpText('after', help)
    .showHelpAfterError('(see --help)')
    .configureOutput({
      writeOut: (text) => void terminal.output.write(text),
      writeErr: (text) => void terminal.errors.write(text),
    })
    .exitOverride()

  const show = (output: Output) => {
    const { json, output: format } = program.opts<{ json: boolean; output: Format }>()
    terminal.output.write(`${formatted(output, json ? 'json' : format)}\n`)
  }
  const place: CommandDeps['place'] = async (
    named = program.opts().profile || environment.GATEHOUSE_PROFILE || '',
  ) => {
    const chosen = chosenProfile(await readProfiles(environment), named)
    const url = program.opts().url || environment.GATEHOUSE_URL || chosen.profile?.url
    return { ...chosen, url: urlOf(url || 'http://localhost:8080') }
  }
  const deps: CommandDeps = {
    environment,
    terminal,
    show,
    place,
    async connect() {
      const at = await place()
      const credentials =
        (await savedLogin(at, environment)) ?? (await findCredentials(environment, terminal))
      return openApi(at.url, credentials)
    },
    async perform(work) {
      const { api, close } = await deps.connect()
      try {
        const output = await work(api)
        show(output)
        if (output.failure !== undefined) throw new CommandFailure(output.failure)
      } finally {
        await close()
      }
    },
  }
  for (const add of groups) add(program, deps)
  completionCommands(program, (text) => void terminal.output.write(`${text}\n`))

  try {
    await program.parseAsync(words, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    // Commander has already printed the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    if (!(error instanceof CommandFailure)) throw error
    terminal.errors.write(`${error.message}\n`)
    return error.exitCode
  }
}

function urlOf(text: string): string {
  const { protocol, origin } = URL.canParse(text) ? new URL(text) : { protocol: '', origin: '' }
  if (protocol === 'http:' || protocol === 'https:') return origin
  throw new CommandFailure(`The URL must begin with http:// or https://.`, exitCodes.usage)
}
