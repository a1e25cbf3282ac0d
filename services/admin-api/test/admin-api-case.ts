import type { Changes } from '@gatehouse/gateway/testing/gateway'

/** A valid request: the call that it causes, and the answer that it gets. */
export type Case = {
  request: [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object]
  service: keyof Changes
  call: string
  asked: object
  gives: object
  answer: [status: number, body?: object]
}

/** When everything in the cases was created. */
export const created = new Date('2030-01-01T00:00:00Z')
/** When everything in the cases expires. */
export const ends = new Date('2030-01-01T01:00:00Z')
