import type { ImportedClient } from '@gatehouse/admin-api/generated/openapi'
import { isPublicMethod } from '@gatehouse/proto/client-authentication'
import { mostImportedClients } from '@gatehouse/proto/imports'
import type { Command } from 'commander'
import type { CommandDeps } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { type ClientFormat, clientFormatOf, clientFormats, clientReading } from '../import/client-file.ts'
import { entriesOf } from '../import/entry.ts'
import { addImportOptions, addRealmOption } from '../import/import-options.ts'
import { surveyRealms } from '../import/keycloak-file.ts'
import type { Result } from '../import/prepared.ts'
import { type ImportOptions, runImport } from '../import/run-import.ts'

type ClientImportOptions = ImportOptions & { format?: ClientFormat; realm?: string }

/** Says that nobody has the secret of a client that an earlier try of this import may have made. */
function secretLost(
  { client_secret: own, token_endpoint_auth_method: method }: ImportedClient,
  result: Result,
): Result {
  if (result.outcome !== 'exists' || own || (method && isPublicMethod(method))) return result
  const reason =
    'It exists. If this import created it, the answer with its secret was lost: gatehouse clients rotate-secret gives it a new one.'
  return { ...result, outcome: 'invalid', reason }
}

/** gatehouse clients import */
export function addClientImport(clients: Command, { perform, terminal }: CommandDeps): void {
  const command = addImportOptions(clients.command('import <file...>'), clientFormats).description(
    'import clients of another system from files, or from standard input (-): one JSON object a line as the API takes them, or an export of Hydra or Keycloak',
  )
  addRealmOption(command)
  command.action(async (files: string[], { format, realm, ...options }: ClientImportOptions) => {
    if (options.report === undefined && !options.dryRun)
      throw new CommandFailure(
        'Name a file with --report: it gets the secrets of clients that need a new one. They are shown nowhere else.',
        exitCodes.usage,
      )
    const survey = await surveyRealms(
      files,
      'clients',
      (beginning) => (format ?? clientFormatOf(beginning)) === 'keycloak',
      realm,
      terminal,
    )
    await perform((api) =>
      runImport<ImportedClient>(
        {
          entries: entriesOf(
            files,
            (beginning, file) => clientReading(format, beginning, { file, survey }),
            terminal,
            survey,
          ),
          nameField: 'client_id',
          sizeOf: () => 1,
          batchSize: mostImportedClients,
          send: (items) => {
            const body = { clients: items, dry_run: options.dryRun ?? false }
            return api.POST('/admin/api/clients/import', { body })
          },
          afterLostAnswer: secretLost,
        },
        options,
        terminal,
      ),
    )
  })
}
