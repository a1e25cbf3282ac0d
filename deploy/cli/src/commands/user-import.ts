import { mostImportedPasswords, mostImportedUsers } from '@gatehouse/proto/imports'
import { type Command, Option } from 'commander'
import { type CommandDeps, wholeNumber } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import type { ImportedUser } from '../generated/openapi.ts'
import { entriesOf, type Reading } from '../import/entry.ts'
import { firstLine } from '../import/format.ts'
import { keycloakUser } from '../import/keycloak-user.ts'
import { ownUser } from '../import/own-user.ts'
import { recordsOfDocument, recordsOfLines } from '../import/records.ts'
import { type ImportOptions, runImport } from '../import/run-import.ts'

type Format = 'gatehouse' | 'keycloak'
type Said = ImportOptions & { format?: Format; allowAdmins?: boolean }

const readings: Record<Format, Reading<ImportedUser>> = {
  gatehouse: { records: recordsOfLines, prepare: ownUser },
  keycloak: { records: (source) => recordsOfDocument(source, '$.users.*'), prepare: keycloakUser },
}

/** How much of a batch's room a password in plain text takes, since the server hashes it. */
const sizeOfPassword = (2 * mostImportedUsers) / mostImportedPasswords

/** gatehouse users import */
export function addUserImport(users: Command, { perform, terminal }: CommandDeps): void {
  const command = addImportOptions(users.command('import <file...>'), Object.keys(readings))
    .description(
      'import users of another system from files, or from standard input (-): one JSON object a line as the API takes them, or an export of Keycloak',
    )
    .option('--allow-admins', 'create administrators too; without it, they are invalid')
  command.action(async (files: string[], { format, allowAdmins = false, ...options }: Said) => {
    const readingOf = (beginning: string) => readings[format ?? formatOf(beginning)]
    await perform((api) =>
      runImport<ImportedUser>(
        {
          entries: entriesOf(files, readingOf, terminal),
          nameField: 'username',
          sizeOf: (user) => (Object(user).password === undefined ? 1 : sizeOfPassword),
          batchSize: mostImportedUsers,
          send: (items) => {
            const body = { users: items, allow_admins: allowAdmins, dry_run: options.dryRun ?? false }
            return api.POST('/admin/api/users/import', { body })
          },
        },
        options,
        terminal,
      ),
    )
  })
}

/** Adds the options that every import has. @param formats the formats that can be named */
export function addImportOptions(command: Command, formats: readonly string[]): Command {
  return command
    .addOption(
      new Option('--format <format>', 'by default it is recognised by its beginning').choices(formats),
    )
    .option('--dry-run', 'check everything, and store nothing')
    .option('--report <file>', 'write a line of JSON about each entry to this new file')
    .addOption(
      new Option('--parallel <count>', 'how many requests are under way at once')
        .argParser(fromOneTo16)
        .default(4),
    )
}

function fromOneTo16(text: string): number {
  const count = wholeNumber(text)
  if (count >= 1 && count <= 16) return count
  throw new CommandFailure('--parallel must be from 1 to 16.', exitCodes.usage)
}

function formatOf(beginning: string): Format {
  const line = firstLine(beginning)
  return line === undefined || Array.isArray(Object(line).users) ? 'keycloak' : 'gatehouse'
}
