import { notedDatabaseUrl } from '@gatehouse/local/database-address'
import { StartFailure } from '@gatehouse/local/failure'
import { dataDirectoryOf } from '@gatehouse/local/places'
import { type Command, Option } from 'commander'
import type { CommandDeps } from '../command.ts'
import { confirm } from '../credentials.ts'
import { CommandFailure } from '../failure.ts'
import { secretVariable } from '../secret-variable.ts'

type RecoveryOptions = { keepFactors: boolean; yes?: boolean }

/** gatehouse admin … */
export function adminCommands(program: Command, { environment, show, terminal }: CommandDeps): void {
  const admin = program
    .command('admin')
    .description('administrators, over the database: for whoever has no login left')

  admin
    .command('recover [user]')
    .description(
      'make a user (by default admin) an active administrator with the password in GATEHOUSE_NEW_PASSWORD, or a generated one that is shown only once; all sessions, second factors and accounts elsewhere end. It needs OAUTH2_DATABASE_URL or a running npm start, and nothing else',
    )
    .addOption(new Option('--keep-factors', 'keep passkeys and second factors').default(false))
    .option('--yes', 'do not ask for confirmation')
    .action(async (username: string | undefined, { keepFactors, yes }: RecoveryOptions) => {
      const name = username ?? 'admin'
      const factors = keepFactors
        ? ''
        : ' Their passkeys and second factors are removed, and their e-mail address is to be confirmed again.'
      if (!yes)
        await confirm(
          `This makes ${name} an active administrator with a new password. All their sessions end, and their accounts elsewhere are disconnected.${factors}`,
          terminal,
        )
      const newPassword = secretVariable('GATEHOUSE_NEW_PASSWORD', environment)
      show(await recovered(withDatabase(environment), { username: name, newPassword, keepFactors }))
    })
}

/** With the address of the database that `npm start` runs, unless another one is named. */
function withDatabase(environment: Record<string, string | undefined>) {
  if (environment.OAUTH2_DATABASE_URL || environment.OAUTH2_DATABASE_URL_FILE) return environment
  return { ...environment, OAUTH2_DATABASE_URL: noted(environment) }
}

/** @throws CommandFailure */
function noted(environment: Record<string, string | undefined>): string | undefined {
  try {
    return notedDatabaseUrl(dataDirectoryOf(environment))
  } catch (error) {
    if (error instanceof StartFailure) throw new CommandFailure(`${error.message}.`)
    throw error
  }
}

type Recovery = { username: string; newPassword: string | undefined; keepFactors: boolean }

async function recovered(environment: Record<string, string | undefined>, recovery: Recovery) {
  // Loaded here, because the other commands start sooner without the database driver.
  const { recoverAdministratorIn } = await import('@gatehouse/identity/recover-administrator')
  try {
    const { username, created, generatedPassword } = await recoverAdministratorIn(environment, recovery)
    const json = { username, created, ...(generatedPassword && { password: generatedPassword }) }
    const lines = [
      created
        ? `${username} is created, as an administrator.`
        : `${username} is an administrator and can log in.`,
      ...(generatedPassword ? [`Password (it is not shown again):  ${generatedPassword}`] : []),
    ]
    return { json, text: lines.join('\n') }
  } catch (error) {
    throw new CommandFailure(error instanceof Error ? error.message : String(error))
  }
}
