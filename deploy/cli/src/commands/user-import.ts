import type { ImportedUser } from '@gatehouse/admin-api/generated/openapi'
import { mostImportedPasswords, mostImportedUsers } from '@gatehouse/proto/imports'
import type { Command } from 'commander'
import type { CommandDeps } from '../command.ts'
import { entriesOf, type Reading } from '../import/entry.ts'
import { firstLine } from '../import/format.ts'
import { addImportOptions } from '../import/import-options.ts'
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

function formatOf(beginning: string): Format {
  const line = firstLine(beginning)
  return line === undefined || Array.isArray(Object(line).users) ? 'keycloak' : 'gatehouse'
}
