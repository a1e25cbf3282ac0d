import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { expect, test } from 'vitest'
import { consoleBackend } from '../../src/backends/console.ts'
import { issuer, someEvents } from '../events.ts'

test.each(['info', 'warn', 'error', 'silent'])('every event is written with LOG_LEVEL=%s', async (level) => {
  const { log, lines } = recordedLog(level)
  const deps = {
    issuer,
    ring: { push: () => undefined },
    refused: () => undefined,
    attempted: () => undefined,
  }
  const backend = consoleBackend.open({}, { ...deps, log: log.child({ backend: 'console' }) })
  const events = someEvents(3)
  expect(await backend.deliver(events, AbortSignal.timeout(1_000))).toBe(3)
  const written = events.map(({ envelope }) => ({ level: 30, backend: 'console', envelope, msg: 'event' }))
  expect(lines).toMatchObject(written)
})
