import { createCounts } from '@gatehouse/kit/counts'
import type { FastifyRequest } from 'fastify'
import { announcesBody, isMeasured } from '../connections/measured-request.ts'

/** How many requests of one network may wait for the rest of their bodies. */
export const mostUnfinished = 100

/** Bounds how many requests of each network have not come whole yet. */
export type UnfinishedRequests = {
  /** Notes a request whose head has come. @returns whether its network may have one more */
  begin(request: Pick<FastifyRequest, 'raw' | 'headers' | 'network'>): boolean
}

/** Creates the bounds of a process. It remembers only networks with unfinished requests. */
export function createUnfinishedRequests(): UnfinishedRequests {
  const counts = createCounts()
  return {
    begin({ raw, headers, network }) {
      if (!isMeasured(raw) || !announcesBody({ headers })) return true
      if (counts.of(network) >= mostUnfinished) return false
      counts.add(network)
      raw.whenOver(() => counts.remove(network))
      return true
    },
  }
}
