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
  const counts = new Map<string, number>()
  return {
    begin({ raw, headers, network }) {
      if (!isMeasured(raw) || !announcesBody({ headers })) return true
      const count = counts.get(network) ?? 0
      if (count >= mostUnfinished) return false
      counts.set(network, count + 1)
      raw.once('close', () => {
        const left = (counts.get(network) ?? 1) - 1
        if (left > 0) counts.set(network, left)
        else counts.delete(network)
      })
      return true
    },
  }
}
