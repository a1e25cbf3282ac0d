import { TokenType } from '@streamparser/json'
import { CommandFailure, exitCodes } from '../failure.ts'
import type { Terminal } from '../terminal.ts'
import { type Foreign, shown, textOf } from './fields/fields.ts'
import { type KeycloakRealm, keycloakRealm, realmNote } from './keycloak-realm.ts'
import { type DocumentToken, type FileRecord, recordsOfDocument, valuesOfDocument } from './records.ts'
import { openSource, peek, type Source } from './source.ts'

/** The lists of a realm that may be larger than the memory. */
const lists = ['users', 'clients', 'federatedUsers']

/** The part of a realm that an import reads. */
export type Wanted = 'users' | 'clients' | 'roles'

/** How a file of Keycloak is laid out: a realm, several of them, or a list of users or clients alone. */
type Layout = 'realm' | 'realms' | 'list'

/** The realms in the files of an import. */
export type Survey = {
  /** The realm of a record; undefined where no file has it. */
  realmOf(file: string, realm: number | undefined): KeycloakRealm | undefined
  /** Whether a record is to be imported. */
  isWanted(file: string, realm: number | undefined): boolean
  /** Sentences about the files, for the report. */
  notes: string[]
  /** Why the files are not all that they should be: it makes the import fail. */
  fault: string | undefined
}

/** Recognises the layout by the beginning of the file. */
export function layoutOf(beginning: string): Layout {
  if (!beginning.trimStart().startsWith('[')) return 'realm'
  const [realm, other] = [/"realm"\s*:/, /"(username|clientId)"\s*:/].map((pattern) =>
    beginning.search(pattern),
  )
  return realm !== undefined && realm >= 0 && !(Number(other) >= 0 && Number(other) < realm)
    ? 'realms'
    : 'list'
}

/** The users or clients of a file, each with the number of its realm. */
export async function* keycloakRecords(
  source: Source,
  wanted: 'users' | 'clients',
): AsyncGenerator<FileRecord> {
  const { beginning, whole } = await peek(source)
  const layout = layoutOf(beginning)
  if (layout === 'list') return yield* recordsOfDocument(whole, '$.*')
  const path = layout === 'realm' ? `$.${wanted}.*` : `$.*.${wanted}.*`
  let line = 0
  for await (const { value, keys } of valuesOfDocument(whole, [path])) {
    line += 1
    yield { line, value, realm: layout === 'realm' ? 0 : Number(keys[0]) }
  }
}

/**
 * Reads what the files say of their realms, before anything of them is imported: Keycloak writes a realm's identity providers behind
 * its users, and for large realms into another file. Standard input is read only once, so it says nothing.
 * @param isKeycloak whether a file is one of Keycloak, by its beginning
 * @param named the realm that is to be imported; undefined when there is only one
 * @throws CommandFailure when there are several, and none is named, or the named one is not there
 */
export async function surveyRealms(
  files: readonly string[],
  wanted: Wanted,
  isKeycloak: (beginning: string) => boolean,
  named: string | undefined,
  terminal: Pick<Terminal, 'input'>,
): Promise<Survey> {
  const found = new Map<string, FoundRealm[]>()
  for (const file of files) if (file !== '-') found.set(file, await realmsOf(file, isKeycloak, terminal))
  const all = [...found.values()].flat()
  const names = [...new Set(all.map(({ realm }) => realm.name))].filter((name) => name !== '')
  const list = names.map(shown).join(', ')
  if (named !== undefined && !names.includes(named))
    throw new CommandFailure(
      `The files have no realm ${shown(named)}, but ${list || 'none'}.`,
      exitCodes.usage,
    )
  if (named === undefined && names.length > 1)
    throw new CommandFailure(
      `The files have several realms: ${list}. Import one at a time: --realm ${shown(names[0])}.`,
      exitCodes.usage,
    )
  const isOurs = ({ realm }: FoundRealm) => named === undefined || realm.name === named
  const ours = all.filter(isOurs)
  const providers = new Map(ours.flatMap(({ realm }) => [...realm.providers]))
  const merged = {
    providers,
    disabled: ours.some(({ realm }) => realm.disabled),
    verifyEmail: ours.some(({ realm }) => realm.verifyEmail),
  }
  const at = (file: string, index = 0) => found.get(file)?.[index]
  return {
    realmOf(file, index) {
      const realm = at(file, index)?.realm
      return realm && { ...realm, ...merged }
    },
    isWanted(file, index) {
      const realm = at(file, index)
      return realm === undefined || isOurs(realm)
    },
    notes: ours.flatMap(({ realm }) => realmNote(realm, wanted) ?? []),
    fault: partFault(ours, wanted),
  }
}

type FoundRealm = Counts & { realm: KeycloakRealm }

/** Why the export is only a part. */
function partFault(realms: readonly FoundRealm[], wanted: Wanted): string | undefined {
  if (realms.length === 0) return undefined
  const sum = (count: (realm: FoundRealm) => number) => realms.reduce((all, realm) => all + count(realm), 0)
  const whole = `Export the whole realm: kc.sh export --realm ${shown(realms[0]?.realm.name)} --users realm_file --file realm.json.`
  if (wanted === 'users' && sum(({ people }) => people) === 0)
    return `The export has no users, so it is a partial one. ${whole}`
  const masked = sum((realm) => realm.masked)
  if (wanted === 'clients' && masked > 0)
    return `The export has asterisks instead of ${masked} secrets, so it is a partial one, and these clients get new ones. To keep them: ${whole}`
  return undefined
}

/** The realms of a file, in their order; none when it is something else. */
async function realmsOf(
  file: string,
  isKeycloak: (beginning: string) => boolean,
  terminal: Pick<Terminal, 'input'>,
): Promise<FoundRealm[]> {
  const { beginning, whole, close } = await peek(openSource(file, terminal))
  const layout = layoutOf(beginning)
  if (layout === 'list' || !isKeycloak(beginning)) {
    await close()
    return []
  }
  const depth = layout === 'realm' ? 0 : 1
  const start = depth === 0 ? '$' : '$.*'
  const found: { given: Record<string, unknown>; providers: Foreign[]; counts: Counts }[] = []
  const realm = (index: number) => {
    const one = found[index] ?? { given: {}, providers: [], counts: { people: 0, masked: 0 } }
    found[index] = one
    return one
  }
  const paths = [...lists, 'identityProviders'].map((name) => `${start}.${name}.*`)
  const fields = ['realm', 'enabled', 'verifyEmail'].map((name) => `${start}.${name}`)
  const names = new Map<number, string[]>()
  const watch = fieldWatch(depth + 1, (index, name) => names.set(index, [...(names.get(index) ?? []), name]))
  for await (const { value, keys } of valuesOfDocument(whole, [...paths, ...fields], watch)) {
    const { given, providers, counts } = realm(depth === 0 ? 0 : Number(keys[0]))
    const field = String(keys[depth])
    if (field === 'identityProviders') providers.push(Object(value))
    else if (lists.includes(field)) count(field, Object(value), counts)
    else given[field] = value
  }
  return [...found].map((one, index) => {
    const { given, providers, counts } = one ?? realm(index)
    return {
      realm: keycloakRealm({ ...given, identityProviders: providers }, names.get(index) ?? []),
      ...counts,
    }
  })
}

/**
 * Watches the tokens of a document for the names of fields that are set, without keeping what is in them.
 * @param level how many objects and lists are around the fields, 1 or 2
 * @param tell gets each name, and in which object of a list it is
 */
function fieldWatch(level: number, tell: (index: number, name: string) => unknown) {
  let depth = 0
  let index = -1
  let text: unknown
  let name: string | undefined
  return ({ token, value }: DocumentToken): void => {
    const opens = token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET
    const closes = token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET
    if (name !== undefined && !closes && (depth > level || !opens)) {
      if (value !== null && value !== '') tell(Math.max(index, 0), name)
      name = undefined
    } else if (closes) name = undefined
    if (opens) depth += 1
    if (opens && depth === level) index += 1
    if (closes) depth -= 1
    if (depth !== level) return
    if (token === TokenType.STRING) text = value
    else if (token === TokenType.COLON) name = String(text)
  }
}

type Counts = { people: number; masked: number }

function count(field: string, one: Foreign, counts: Counts): void {
  if (field === 'clients') {
    if (/^\*+$/.test(String(one.secret)) && one.publicClient !== true) counts.masked += 1
  } else if (field === 'users' && textOf(one.serviceAccountClientId) === undefined) counts.people += 1
}
