import { Command, CommanderError } from 'commander'
import { openApi } from './api.ts'
import type { CommandDeps } from './command.ts'
import { activityCommands } from './commands/activity.ts'
import { adminCommands } from './commands/admin.ts'
import { clientCommands } from './commands/clients.ts'
import { keyCommands } from './commands/keys.ts'
import { mailCommands } from './commands/mails.ts'
import { resourceCommands } from './commands/resources.ts'
import { systemCommands } from './commands/system.ts'
import { tokenCommands } from './commands/tokens.ts'
import { userCommands } from './commands/users.ts'
import { findCredentials } from './credentials.ts'
import { CommandFailure, exitCodes } from './failure.ts'
import type { Output } from './output.ts'
import type { Terminal } from './terminal.ts'

type Environment = Record<string, string | undefined>

const groups = [
  clientCommands,
  resourceCommands,
  userCommands,
  tokenCommands,
  keyCommands,
  mailCommands,
  activityCommands,
  adminCommands,
  systemCommands,
]

const help = `
Credentials, from the environment only, since other users of a machine see command lines:
  GATEHOUSE_USERNAME and GATEHOUSE_PASSWORD     an administrator (default name: admin; at a terminal
                                                you are asked for the password)
  GATEHOUSE_CLIENT_ID, GATEHOUSE_CLIENT_SECRET  a client with the grant client_credentials and the scope admin
  GATEHOUSE_TOKEN                               an access token with the scope admin

Exit codes: 0 done, 1 refused or failed, 2 invalid command, 3 not authorized, 4 not found, 5 unavailable.

Examples:
  gatehouse status
  gatehouse clients create --name Billing --grant-type client_credentials --scope "read write"
  gatehouse clients rotate-secret client_… --overlap 86400
  gatehouse resources add https://mcp.example.com --scope "mcp:tools=Use its tools"
  gatehouse tokens revoke - < token.txt
  gatehouse users list --json | jq -r '.items[].username'`

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
    .option('--url <url>', 'the address of the system', environment.GATEHOUSE_URL || 'http://localhost:8080')
    .option('--json', 'show JSON', false)
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', help)
    .showHelpAfterError('(see --help)')
    .configureOutput({
      writeOut: (text) => void terminal.output.write(text),
      writeErr: (text) => void terminal.errors.write(text),
    })
    .exitOverride()

  const show = ({ json, text }: Output) =>
    void terminal.output.write(`${program.opts().json ? JSON.stringify(json, undefined, 2) : text}\n`)
  const deps: CommandDeps = {
    environment,
    terminal,
    show,
    async perform(work) {
      const url = urlOf(program.opts().url)
      const { api, close } = await openApi(url, await findCredentials(environment, terminal))
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
