import type { ImportedUser } from '@gatehouse/admin-api/generated/openapi'
import { mostImportedPasswords, mostImportedUsers } from '@gatehouse/proto/imports'
import type { Command } from 'commander'
import type { CommandDeps } from '../command.ts'
import { entriesOf, type Reading } from '../import/entry.ts'
import { firstLine } from '../import/format.ts'
import { addImportOptions, addRealmOption } from '../import/import-options.ts'
import { keycloakRecords, type Survey, surveyRealms } from '../import/keycloak-file.ts'
import { keycloakUser, type UserRules } from '../import/keycloak-user.ts'
import { ownUser } from '../import/own-user.ts'
import { recordsOfLines } from '../import/records.ts'
import { type ImportOptions, runImport } from '../import/run-import.ts'

type Format = 'gatehouse' | 'keycloak'
type UserImportOptions = ImportOptions & {
  format?: Format
  realm?: string
  allowAdmins?: boolean
  withoutFactors?: boolean
}

const formats: readonly Format[] = ['gatehouse', 'keycloak']

/** @param survey the realms in the files of Keycloak */
function reading(format: Format, file: string, survey: Survey, rules: UserRules): Reading<ImportedUser> {
  if (format === 'gatehouse') return { records: recordsOfLines, prepare: ownUser }
  return {
    records: (source) => keycloakRecords(source, 'users'),
    prepare: (value, realm) =>
      survey.isWanted(file, realm) ? keycloakUser(value, survey.realmOf(file, realm), rules) : undefined,
  }
}

/** How much of a batch's room a password in plain text takes, since the server hashes it. */
const sizeOfPassword = (2 * mostImportedUsers) / mostImportedPasswords

/** gatehouse users import */
export function addUserImport(users: Command, { perform, terminal }: CommandDeps): void {
  const command = addImportOptions(users.command('import <file...>'), formats)
    .description(
      'import users of another system from files, or from standard input (-): one JSON object a line as the API takes them, or an export of Keycloak',
    )
    .option('--allow-admins', 'create administrators too; without it, they are invalid')
    .option(
      '--without-factors',
      'import users without the second factor that they had; without it, they are disabled',
    )
  addRealmOption(command)
  command.action(
    async (
      files: string[],
      { format, realm, allowAdmins = false, withoutFactors = false, ...options }: UserImportOptions,
    ) => {
      const survey = await surveyRealms(
        files,
        'users',
        (beginning) => (format ?? formatOf(beginning)) === 'keycloak',
        realm,
        terminal,
      )
      const readingOf = (beginning: string, file: string) =>
        reading(format ?? formatOf(beginning), file, survey, { withoutFactors })
      await perform((api) =>
        runImport<ImportedUser>(
          {
            entries: entriesOf(files, readingOf, terminal, survey),
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
    },
  )
}

function formatOf(beginning: string): Format {
  const line = firstLine(beginning)
  return line === undefined || Array.isArray(Object(line).users) ? 'keycloak' : 'gatehouse'
}
