import type { Changes } from '../../gateway/test/gateway.ts'

/** One good request each: what it makes of which call, and what it makes of the answer. */
export type Case = {
  request: [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object]
  service: keyof Changes
  call: string
  asked: object
  gives: object
  answer: [status: number, body?: object]
}

/** When everything began that the cases show. */
export const created = new Date('2030-01-01T00:00:00Z')
/** And when it ends. */
export const ends = new Date('2030-01-01T01:00:00Z')
