import type { ImportedClient } from '@gatehouse/admin-api/generated/openapi'
import type { Reading } from './entry.ts'
import { firstLine } from './format.ts'
import { hydraClient } from './hydra-client.ts'
import { keycloakClient } from './keycloak-client.ts'
import { keycloakRecords, type Survey } from './keycloak-file.ts'
import { ownClient } from './own-client.ts'
import { type FileRecord, recordsOfDocument, recordsOfLines, valuesOfDocument } from './records.ts'
import { peek, type Source } from './source.ts'

/** The name of a format of files with clients. */
export type ClientFormat = 'gatehouse' | 'hydra' | 'keycloak'

/** The names of the formats of files with clients. */
export const clientFormats: readonly ClientFormat[] = ['gatehouse', 'hydra', 'keycloak']

/**
 * How a file with clients is read.
 * @param format undefined to recognise it
 * @param beginning the beginning of the file
 * @param survey the realms in the files of Keycloak
 */
export function clientReading(
  format: ClientFormat | undefined,
  beginning: string,
  { file, survey }: { file: string; survey: Survey } = { file: '', survey: nothingKnown },
): Reading<ImportedClient> {
  switch (format ?? clientFormatOf(beginning)) {
    case 'gatehouse':
      return { records: clientRecords, prepare: ownClient }
    case 'hydra':
      return { records: clientRecords, prepare: hydraClient }
    case 'keycloak':
      return {
        records: isClient(firstLine(beginning))
          ? recordsOfLines
          : (source) => keycloakRecords(source, 'clients'),
        prepare: (value, realm) =>
          survey.isWanted(file, realm) ? keycloakClient(value, survey.realmOf(file, realm)) : undefined,
      }
  }
}

const nothingKnown: Survey = { realmOf: () => undefined, isWanted: () => true, notes: [], fault: undefined }

/** Clients are lines, a list, or a list in an object, which Hydra calls items. */
async function* clientRecords(source: Source): AsyncGenerator<FileRecord> {
  const { beginning, whole } = await peek(source)
  if (isClient(firstLine(beginning))) return yield* recordsOfLines(whole)
  if (beginning.trimStart().startsWith('[')) return yield* recordsOfDocument(whole, '$.*')
  let line = 0
  let more = false
  for await (const { value, keys } of valuesOfDocument(whole, [
    '$.items.*',
    '$.is_last_page',
    '$.next_page_token',
  ])) {
    if (keys[0] === 'is_last_page') more ||= value === false
    else if (keys[0] === 'next_page_token') more ||= typeof value === 'string' && value !== ''
    else yield { line: ++line, value }
  }
  if (more)
    yield {
      line: 0,
      fault:
        'The file is only one page of the clients: Hydra says that more follow. Export them too: --page-size 1000, or --page-token.',
    }
}

/** Fields of Hydra that the API does not know. */
const hydraOnly = ['subject_type', 'response_types', 'audience', 'updated_at', 'skip_consent']

/**
 * Recognises the format of a file with clients by its beginning.
 * @throws CommandFailure when the file is empty or no JSON
 */
export function clientFormatOf(beginning: string): ClientFormat {
  const line = firstLine(beginning)
  if (isClient(line) && 'client_id' in line)
    return hydraOnly.some((field) => field in line) ? 'hydra' : 'gatehouse'
  return /"(clientId|realm)"\s*:/.test(beginning) ? 'keycloak' : 'hydra'
}

/** Whether a line is a client of any format. */
function isClient(line: unknown): line is object {
  return ['client_id', 'clientId', 'client_name'].some((field) => field in Object(line))
}
