import { type Command, Option } from 'commander'
import { wholeNumber } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'

/** Adds the options that every import has. @param formats the formats that can be named, where there are several */
export function addImportOptions(command: Command, formats: readonly string[] = []): Command {
  if (formats.length > 0)
    command.addOption(
      new Option('--format <format>', 'by default it is recognised by its beginning').choices(formats),
    )
  return command
    .option('--dry-run', 'check everything, and store nothing')
    .option('--report <file>', 'write a line of JSON about each entry to this new file')
    .addOption(
      new Option('--parallel <count>', 'how many requests are under way at once')
        .argParser(fromOneTo16)
        .default(4),
    )
}

/** Adds the option that names one of several realms of Keycloak. */
export function addRealmOption(command: Command): Command {
  return command.option('--realm <name>', 'of files of Keycloak with several realms, the one to import')
}

function fromOneTo16(text: string): number {
  const count = wholeNumber(text)
  if (count >= 1 && count <= 16) return count
  throw new CommandFailure('--parallel must be from 1 to 16.', exitCodes.usage)
}
