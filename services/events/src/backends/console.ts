import { backendKind } from '../backend.ts'

/** Writes each event to standard output, as a line of JSON among those of the process's log. */
export const consoleBackend = backendKind({
  name: 'console',
  variables: {},
  open(_config, { log }) {
    // LOG_LEVEL says how much is logged of the process's own doings. Events are what this backend is there to write.
    const output = log.child({}, { level: 'info' })
    return {
      async deliver(events) {
        for (const { envelope } of events) output.info({ envelope }, 'event')
        return events.length
      },
      isHealthy: () => true,
      close: async () => undefined,
    }
  },
})
