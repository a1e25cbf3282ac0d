import { loadConfig } from '@gatehouse/kit/config/load-config'
import { Type } from '@gatehouse/proto/typebox'
import { HTTP, Webhook } from '@gatehouse/test/servers/webhook-verifier'
import { describe, expect, test } from 'vitest'
import { openBackends } from '../../src/backends/table.ts'
import type { OutgoingEvent } from '../../src/envelopes/backend.ts'
import { storedEvent } from '../../src/outbox/outgoing.ts'
import { webhook } from '../../src/webhooks/webhook.ts'
import { ownEvent } from '../events.ts'
import { type Answering, status } from './receiver.ts'
import { someEvents } from './some-events.ts'
import {
  bodyOf,
  deliverAll,
  headersOf,
  idsOf,
  issuer,
  never,
  open,
  opened,
  receivedIds,
  receiver,
  secret,
  someDeps,
  useReceiver,
} from './webhook-setup.ts'

useReceiver()

describe('a webhook', () => {
  test('is signed as in Standard Webhooks, and the signature fits no other body', async () => {
    const { backend } = open()
    const events = someEvents(3)
    expect(await backend.deliver(events, never)).toBe(3)
    const judge = new Webhook(secret)
    for (const index of events.keys()) {
      expect(judge.verify(bodyOf(index), headersOf(index))).toMatchObject({ id: idsOf(events)[index] })
      expect(() => judge.verify(`${bodyOf(index)} `, headersOf(index))).toThrow()
    }
    expect(receivedIds()).toEqual(idsOf(events))
  })

  test('is a CloudEvent in structured mode whose data is the envelope', async () => {
    const { backend } = open()
    const events = someEvents(3)
    await backend.deliver(events, never)
    for (const [index, { envelope, json, attributes }] of events.entries()) {
      expect(headersOf(index)['content-type']).toBe('application/cloudevents+json')
      const read = HTTP.toEvent({ headers: headersOf(index), body: bodyOf(index) })
      expect(read).toMatchObject({ ...attributes, data: JSON.parse(json) })
      expect(headersOf(index).traceparent).toBe(envelope.traceparent)
      expect(headersOf(index).tracestate).toBe(envelope.tracestate)
    }
  })

  test('can be signed with a plain text', async () => {
    const text = 'correct-horse-battery-staple'
    const { backend } = open({ OAUTH2_EVENTS_WEBHOOK_SECRET: text })
    await backend.deliver(someEvents(1), never)
    new Webhook(text, { format: 'raw' }).verify(bodyOf(0), headersOf(0))
  })

  test('is signed with each of two secrets during a rotation', async () => {
    const next = `whsec_${Buffer.alloc(24, 9).toString('base64')}`
    const { backend } = open({ OAUTH2_EVENTS_WEBHOOK_SECRET: `${next} ${secret}` })
    await backend.deliver(someEvents(1), never)
    for (const one of [secret, next]) new Webhook(one).verify(bodyOf(0), headersOf(0))
    const other = new Webhook(`whsec_${Buffer.alloc(24, 8).toString('base64')}`)
    expect(() => other.verify(bodyOf(0), headersOf(0))).toThrow()
  })

  test('has no tracestate if an HTTP header cannot carry it', async () => {
    const [event] = someEvents(1)
    const odd = ownEvent({ ...(event as OutgoingEvent).envelope, tracestate: 'a=ü→' }, issuer)
    await open().backend.deliver([odd], never)
    expect(headersOf(0).tracestate).toBeUndefined()
    expect(headersOf(0).traceparent).toBe(odd.envelope.traceparent)
  })

  test('is posted with the URL’s path, query and credentials', async () => {
    const url = `http://us%20er:pass@127.0.0.1:${receiver.port}/a/b?key=1`
    await open({ OAUTH2_EVENTS_WEBHOOK_URL: url }).backend.deliver(someEvents(1), never)
    expect(receiver.posts[0]?.path).toBe('/a/b?key=1')
    expect(headersOf(0).authorization).toBe(`Basic ${btoa('us er:pass')}`)
  })

  test('is posted once for each event, in order, over one connection', async () => {
    const { backend } = open()
    const before = receiver.connections()
    const events = someEvents(300)
    expect(await deliverAll(backend, events)).toBe(0)
    expect(receivedIds()).toEqual(idsOf(events))
    expect(receiver.connections()).toBe(before + 1)
  })
})

describe('events of many clients and users', () => {
  /** The event with another client and user. */
  const of = ({ envelope }: OutgoingEvent, client_id?: string, user_id?: string) =>
    ownEvent({ ...envelope, event: { ...envelope.event, client_id, user_id } }, issuer)

  test('are posted even if several senders gave them the same id', async () => {
    const [one] = someEvents(1)
    const { json } = one as OutgoingEvent
    const events = ['1', '2'].map((position) =>
      storedEvent({ position, json, parties: [], wasSetAside: false }, issuer),
    )
    const { backend } = open()
    const before = receiver.posts.length
    expect(await backend.deliver(events, never)).toBe(2)
    expect(receiver.posts).toHaveLength(before + 2)
  })

  test('are posted several at once, yet in order for each client and user, and no accepted event again', async () => {
    const events = someEvents(240).map((event, index) =>
      index % 7 === 0 ? of(event) : of(event, `c${index % 5}`, index % 3 === 0 ? `u${index % 4}` : undefined),
    )
    const taken: string[] = []
    let underWay = 0
    let most = 0
    receiver.next.push(
      ...Array.from(
        { length: 1_000 },
        (_, index): Answering =>
          (response, request) => {
            underWay += 1
            most = Math.max(most, underWay)
            setTimeout(
              () => {
                underWay -= 1
                if (index % 40 !== 39) taken.push(String(request.headers['webhook-id']))
                status(index % 40 === 39 ? 500 : 204)(response, request)
              },
              (index * 7) % 11,
            )
          },
      ),
    )
    const { backend } = open()
    expect(await deliverAll(backend, events)).toBeGreaterThan(0)
    expect(most).toBeGreaterThan(2)
    expect(most).toBeLessThanOrEqual(8)
    expect(taken.toSorted()).toEqual(idsOf(events).toSorted())
    for (const party of new Set(events.flatMap(({ parties }) => parties))) {
      const ids = idsOf(events.filter(({ parties }) => parties.includes(party)))
      expect(taken.filter((id) => ids.includes(id))).toEqual(ids)
    }
  })
})

describe('the variables', () => {
  const complaint = (environment: Record<string, string>): string => {
    try {
      open(environment)
    } catch (error) {
      return (error as Error).message
    }
    throw new Error('nothing was wrong')
  }

  test.each(['', 'short', 'whsec_c2hvcnQ=', `whsec_${'!'.repeat(40)}`, 'ü'.repeat(30), `${secret} short`])(
    'refuse the secret %j without showing it',
    (wrong) => {
      const message = complaint({ OAUTH2_EVENTS_WEBHOOK_SECRET: wrong })
      expect(message).toMatch(/^OAUTH2_EVENTS_WEBHOOK_SECRET must be/)
      for (const word of wrong.split(' '))
        if (word !== '' && word !== 'short') expect(message).not.toContain(word)
    },
  )

  test.each(['ftp://receiver.example', 'receiver.example', 'http://', 'https://user:password@[bad'])(
    'refuse the URL %j without showing it',
    (wrong) => {
      const message = complaint({ OAUTH2_EVENTS_WEBHOOK_URL: wrong })
      expect(message).toMatch(/^OAUTH2_EVENTS_WEBHOOK_URL must be/)
      expect(message).not.toContain(wrong)
    },
  )

  const config = (environment: Record<string, string>) => ({
    OAUTH2_EVENTS_BACKEND: 'in_memory',
    ...loadConfig(Type.Object(webhook.variables), environment),
  })

  test('open the webhook beside the named backends if they have a URL, and not without one', async () => {
    const depsOf = () => someDeps().deps
    expect([...openBackends(config({}), depsOf).keys()]).toEqual(['in_memory'])
    const url = { OAUTH2_EVENTS_WEBHOOK_URL: 'https://receiver.example/' }
    expect(() => openBackends(config(url), depsOf)).toThrow('OAUTH2_EVENTS_WEBHOOK_SECRET must be set')
    const both = openBackends(config({ ...url, OAUTH2_EVENTS_WEBHOOK_SECRET: secret }), depsOf)
    expect([...both.keys()]).toEqual(['in_memory', 'webhook'])
    opened.push(...both.values())
  })
})
