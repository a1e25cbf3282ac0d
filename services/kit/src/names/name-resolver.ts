import { Resolver } from 'node:dns/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTime } from '../time/in-time.ts'
import { createHostsFile, textOf } from './hosts-file.ts'
import { namesToAsk } from './search-list.ts'

/**
 * Resolves the name of a server.
 * @param signal ends the look-up when it is aborted
 * @returns its addresses, at least one
 * @throws Error whose `code` says why there is none, such as ENOTFOUND or ETIMEOUT; the signal's reason
 */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<string[]>

/** Where a resolver looks; by default where this machine does. */
export type NameResolverDeps = {
  hostsFile?: string
  /** A resolv.conf, for its search list. */
  configurationFile?: string
  /** Each as HOST:PORT; by default those of the machine's resolv.conf. */
  nameServers?: string[]
}

/** How long a name server has for its first answer, in milliseconds, and how often each is asked. It has longer each time. */
const patience = { timeout: 1_000, tries: 3 }
/** In milliseconds: how long addresses of one kind wait for those of the other (RFC 8305 section 3). */
const resolutionDelay = 50
/** A name that does not exist under one domain of the search list may exist under the next one. */
const absent = ['ENOTFOUND', 'ENODATA', 'ESERVFAIL']

/**
 * Creates the resolver for names that others chose. dns.lookup would hold one of libuv's few threads for each name until its
 * name server has answered, cannot be cancelled, and so a few names without an answer would stop every other look-up of the
 * process, those of its database among them. c-ares needs no thread, but asks name servers only. So the hosts file, `localhost` (RFC
 * 6761 section 6.3) and the search list of resolv.conf are respected here. Other sources of nsswitch.conf are not asked.
 */
export function createNameResolver({
  hostsFile = '/etc/hosts',
  configurationFile = '/etc/resolv.conf',
  nameServers,
}: NameResolverDeps = {}): ResolveName {
  const fromHostsFile = createHostsFile(hostsFile)
  return async (name, signal) => {
    signal.throwIfAborted()
    const bare = name.toLowerCase().replace(/\.$/, '')
    const local = fromHostsFile(bare)
    if (local.length > 0) return [...local]
    if (bare === 'localhost' || bare.endsWith('.localhost')) return ['127.0.0.1', '::1']
    // Its own, since cancelling one ends all of its look-ups. A new one reads resolv.conf again.
    const resolver = new Resolver(patience)
    if (nameServers) resolver.setServers(nameServers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await inTime(signal, firstOf(namesToAsk(name, textOf(configurationFile)), resolver))
    } finally {
      signal.removeEventListener('abort', cancel)
      cancel()
    }
  }
}

async function firstOf([name = '', ...others]: string[], resolver: Resolver): Promise<string[]> {
  try {
    return await addressesOf(name, resolver)
  } catch (error) {
    if (others.length === 0 || !absent.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return firstOf(others, resolver)
  }
}

/** IPv4 addresses first: where there is no IPv4, connecting to them fails at once. */
async function addressesOf(name: string, resolver: Resolver): Promise<string[]> {
  const found: [four: string[], six: string[]] = [[], []]
  const asking = [
    resolver.resolve4(name).then((addresses) => found[0].push(...addresses)),
    resolver.resolve6(name).then((addresses) => found[1].push(...addresses)),
  ]
  const both = Promise.allSettled(asking)
  const one = Promise.any(asking).catch(() => both)
  // A name server that answers for one kind and is silent for the other is not waited for.
  await Promise.race([both, one.then(() => sleep(resolutionDelay))])
  const addresses = found.flat()
  if (addresses.length > 0) return addresses
  const faults = (await both).flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  throw faults.find(({ code }) => !absent.includes(code)) ?? faults[0]
}
