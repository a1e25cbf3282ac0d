import { backendKind } from '../envelopes/backend.ts'

/** Writes each event to standard output as a line of JSON, among the lines of the process's log. */
export const consoleBackend = backendKind({
  name: 'console',
  variables: {},
  open(_config, { log }) {
    // LOG_LEVEL is about the process's own log lines. This backend writes events at every level.
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
