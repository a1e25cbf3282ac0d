import { textOf } from '@gatehouse/kit/names/hosts-file'
import type { HttpServerDeps } from './http-server.ts'
import { isTrustedProxy, type TrustedProxies } from './trusted-proxies.ts'

/** How many connections may be open in all and from one address. */
export const defaultConnections = { most: 4_000, mostOfAddress: 1_000 }

/** Descriptors that everything else of the process may need: the services, Redis, files. */
const reserved = 256
/** How long an idle connection is kept, in milliseconds: longer behind a proxy, which must be the one that closes it. */
const keepAliveOfCallers = 15_000
const keepAliveOfProxies = 75_000

/**
 * The bounds of the public HTTP server's connections.
 * @param most how many may be open in all; fewer where the process may not have as many descriptors
 * @param mostOfAddress how many may be open from one address that is not a trusted proxy's
 */
export function connectionBounds(
  { most, mostOfAddress }: { most: number; mostOfAddress: number },
  proxies: TrustedProxies,
): HttpServerDeps['bounds'] {
  return {
    most: Math.max(1, Math.min(most, openFiles() - reserved)),
    mostOfAddress,
    isProxy: isTrustedProxy(proxies),
    keepAlive: proxies === false ? keepAliveOfCallers : keepAliveOfProxies,
  }
}

/** How many descriptors the process may have. Node raises the soft limit to the hard one. */
function openFiles(): number {
  // Of Linux in a moment; the report of Node, which other systems need, takes 30 ms.
  const [, soft] = /^Max open files\s+(\S+)/m.exec(textOf('/proc/self/limits')) ?? []
  return soft === undefined ? openFilesOfReport() : numberOf(soft)
}

function openFilesOfReport(): number {
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report
  // Otherwise it would look up the names of its connections.
  report.excludeNetwork = true
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | string } } }
  return numberOf(userLimits?.open_files?.soft)
}

/** A limit, which may be the word `unlimited`. */
function numberOf(limit: number | string | undefined): number {
  const number = Number(limit)
  return Number.isFinite(number) ? number : Number.POSITIVE_INFINITY
}
