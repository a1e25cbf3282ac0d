import type { ImportedClient } from '@gatehouse/admin-api/generated/openapi'
import type { Reading } from './entry.ts'
import { firstLine } from './format.ts'
import { hydraClient } from './hydra-client.ts'
import { keycloakClient } from './keycloak-client.ts'
import { ownClient } from './own-client.ts'
import { type FileRecord, recordsOfDocument, recordsOfLines } from './records.ts'
import { peek, type Source } from './source.ts'

/** The formats of files with clients. */
const prepareOf = { gatehouse: ownClient, hydra: hydraClient, keycloak: keycloakClient }

/** The name of a format of files with clients. */
export type ClientFormat = keyof typeof prepareOf

/** The names of the formats of files with clients. */
export const clientFormats = Object.keys(prepareOf) as ClientFormat[]

/**
 * How a file with clients is read.
 * @param format undefined to recognise it
 * @param beginning the beginning of the file
 */
export function clientReading(format: ClientFormat | undefined, beginning: string): Reading<ImportedClient> {
  return { records: clientRecords, prepare: prepareOf[format ?? formatOf(beginning)] }
}

/** Clients are lines, a list, or a list in an object: Hydra calls it items, and Keycloak clients. */
async function* clientRecords(source: Source): AsyncGenerator<FileRecord> {
  const { beginning, whole } = await peek(source)
  if (isClient(firstLine(beginning))) yield* recordsOfLines(whole)
  else if (beginning.trimStart().startsWith('[')) yield* recordsOfDocument(whole, '$.*')
  else yield* recordsOfDocument(whole, '$.items.*', '$.clients.*')
}

/** Fields of Hydra that the API does not know. */
const hydraOnly = ['subject_type', 'response_types', 'audience', 'updated_at', 'skip_consent']

function formatOf(beginning: string): ClientFormat {
  const line = firstLine(beginning)
  if (isClient(line) && 'client_id' in line)
    return hydraOnly.some((field) => field in line) ? 'hydra' : 'gatehouse'
  return /"(clientId|realm)"\s*:/.test(beginning) ? 'keycloak' : 'hydra'
}

/** Whether a line is a client of any format. */
function isClient(line: unknown): line is object {
  return ['client_id', 'clientId', 'client_name'].some((field) => field in Object(line))
}
