import type { Line } from '../history/lines.ts'
import { type Check, openCheck } from './check.ts'
import { checkNames } from './names.ts'

type Accepted = { id: string; sender: string; number: number; returned: number }
type Delivered = { id: string; digest: string; position: number }

/** Checks that every accepted event was delivered, in the order of its sender, and that a repeated one is the same event. */
export async function checkEvents(lines: AsyncIterable<Line>): Promise<Check[]> {
  const accepted = new Map<string, Accepted>()
  const delivered = new Map<string, Delivered>()
  const same = openCheck('a repeated event has the same id and contents')
  for await (const line of lines) {
    if (line.is === 'operation' && line.name === 'event' && line.outcome === 'ok') {
      const { key = '', sender = '', number = 0 } = line.about
      const id = line.heard.eventId ?? ''
      const first = accepted.get(key)
      same.count(first === undefined || first.id === id, () => ({
        at: line.returned,
        text: `the event ${key} was answered with two ids`,
      }))
      if (!first) accepted.set(key, { id, sender, number, returned: line.returned })
    } else if (line.is === 'delivered') {
      const { key, id, digest, position } = line
      const first = delivered.get(key)
      same.count(first === undefined || (first.id === id && first.digest === digest), () => ({
        text: `the event ${key} was delivered with two ids or contents`,
      }))
      if (!first || position < first.position) delivered.set(key, { id, digest, position })
    }
  }
  return [same, ...compare(accepted, delivered)]
}

function compare(accepted: ReadonlyMap<string, Accepted>, delivered: ReadonlyMap<string, Delivered>) {
  const all = openCheck(checkNames.events)
  const inOrder = openCheck(checkNames.order)
  const bySender = new Map<string, { number: number; position: number; returned: number }[]>()
  for (const [key, { id, sender, number, returned }] of accepted) {
    const found = delivered.get(key)
    all.count(found?.id === id, () => ({
      at: returned,
      text: `the event ${key}, number ${number} of ${sender}, ${found ? 'has another id' : 'was not delivered'}`,
    }))
    if (!found) continue
    const ofSender = bySender.get(sender) ?? []
    ofSender.push({ number, position: found.position, returned })
    bySender.set(sender, ofSender)
  }
  for (const [sender, events] of bySender) {
    events.sort((one, other) => one.number - other.number)
    let last = Number.NEGATIVE_INFINITY
    for (const { number, position, returned } of events) {
      inOrder.count(position > last, () => ({
        at: returned,
        text: `the event number ${number} of ${sender} was delivered before an earlier one`,
      }))
      last = Math.max(last, position)
    }
  }
  return [all, inOrder]
}
