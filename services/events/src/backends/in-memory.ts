import { backendKind } from '../backend.ts'

/** Holds the newest events in the process, for the administrators' page. */
export const inMemory = backendKind({
  name: 'in_memory',
  variables: {},
  open: (_config, { ring }) => ({
    async deliver(events) {
      ring.push(events)
      return events.length
    },
    isHealthy: () => true,
    close: async () => undefined,
  }),
})
