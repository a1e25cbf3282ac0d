import { Resolver } from 'node:dns/promises'

/** The result of a look at a TXT record. `missing`: the DNS says that it is not there; `failed`: the DNS said nothing of use. */
export type SearchedRecord = { outcome: 'found' | 'missing' } | { outcome: 'failed'; code: string }

/** Looks for a TXT record with a value among those of its name. */
export type RecordSearch = (record: { name: string; value: string }) => Promise<SearchedRecord>

/** The answers that say that a record is not there (RFC 2308): no such name, and no record of this type. */
const absent = ['ENOTFOUND', 'ENODATA']

/** In milliseconds: how long a server has for an answer, each time twice as long, and how long all of them have. */
const timeout = 1_000
const tries = 2
const longest = 3_500

/**
 * Creates the search of TXT records.
 * @param servers their addresses, with ports where they are not 53; undefined for those of the operating system
 */
export function createRecordSearch(servers: readonly string[] | undefined): RecordSearch {
  return async ({ name, value }) => {
    // One for each search: a resolver has no limit of its own, and no state that is worth keeping.
    const resolver = new Resolver({ timeout, tries })
    if (servers !== undefined) resolver.setServers([...servers])
    const tooLong = setTimeout(() => resolver.cancel(), longest)
    try {
      const records = await resolver.resolveTxt(name)
      // Each text is cut into strings of 255 bytes (RFC 1035 section 3.3.14).
      return { outcome: records.some((strings) => strings.join('') === value) ? 'found' : 'missing' }
    } catch (error) {
      const { code = 'EUNKNOWN' } = error as NodeJS.ErrnoException
      return absent.includes(code) ? { outcome: 'missing' } : { outcome: 'failed', code }
    } finally {
      clearTimeout(tooLong)
    }
  }
}
