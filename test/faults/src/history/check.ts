import { certainlyEnded, endingsOf, endingsOfFamily, noteEndings, perhapsEnded } from './endings.ts'
import { type Families, familiesOf, push } from './families.ts'
import { checkKeys } from './keys.ts'
import type { Finding, History, Operation, Seen } from './operation.ts'

/** The clocks of the database and of the process that asked may differ by so much, in milliseconds: both are on one machine. */
const clocksMs = 2_000

/** What a history must not contain, and how it is looked for. */
export const rules: Record<string, (history: Judged) => Iterable<Seen>> = {
  'a code has one winner': codesWithTwoWinners,
  'a refresh token has one successor': twoSuccessors,
  'a token that was revoked is not active': activeAfterTheirEnd,
  'a family that was revoked or stolen gives nothing': familiesAfterTheirEnd,
  'a token that was answered is active': lostTokens,
  'an event that was accepted is delivered': lostEvents,
  'events of one sender arrive in order': eventsOutOfOrder,
  'an action of an administrator is in the audit log': missingAuditEntries,
  'a verifier has the key of every token': ({ operations, families }) => checkKeys(operations, families),
}

type Judged = History & { families: Families }

/** Looks for what may not be in a history. What has no answer may have happened or not. */
export function checkHistory(history: History): Finding[] {
  const operations = history.operations.toSorted((a, b) => a.returned - b.returned)
  const families = familiesOf(operations)
  noteEndings(families, operations)
  const judged = { ...history, operations, families }
  return Object.entries(rules).flatMap(([rule, look]) => [...look(judged)].map((seen) => ({ rule, ...seen })))
}

/** How many operations each rule looked at, for the page. */
export function sizesOf({ operations, final }: History): Record<string, number> {
  const count = (kind: Operation['kind']) => operations.filter((one) => one.kind === kind).length
  return {
    operations: operations.length,
    'without an answer': operations.filter(({ outcome }) => outcome === 'unknown').length,
    tokens: count('issue') + count('redeem') + count('refresh'),
    introspections: count('introspect'),
    events: count('send event'),
    'events delivered': final.delivered.length,
    'audit entries': final.audited.length,
  }
}

function* codesWithTwoWinners({ families }: Judged) {
  for (const redemptions of families.codes.values()) {
    const won = redemptions.filter(({ outcome }) => outcome === 'ok')
    if (won.length > 1)
      yield seen(won.at(-1), `a code was redeemed ${won.length} times: ${won.map(when).join(', ')}`)
  }
}

function* twoSuccessors({ families }: Judged) {
  for (const { uses } of families.refreshTokens.values()) {
    const given = uses.flatMap((use) => use.gave?.refreshToken ?? [])
    if (new Set(given).size > 1)
      yield seen(
        uses.at(-1),
        `a refresh token has ${new Set(given).size} successors: ${uses.map(when).join(', ')}`,
      )
  }
}

function* activeAfterTheirEnd({ operations, families }: Judged) {
  for (const asked of operations) {
    if (asked.kind !== 'introspect' || asked.gave?.active !== true) continue
    const id = asked.of.token ?? ''
    const token = families.tokens.get(id)
    if (token === undefined) continue
    const ended = endingsOf(families, id, token).find((one) =>
      certainlyEnded(one, token.family, asked.invoked),
    )
    if (ended)
      yield seen(
        asked,
        `a token was active at ${when(asked)}, after ${ended.why} at ${when(ended.operation)}`,
      )
    if (asked.invoked > token.expires + clocksMs)
      yield seen(asked, `a token was active at ${when(asked)}, after it had expired`)
  }
}

function* familiesAfterTheirEnd({ operations, families }: Judged) {
  for (const asked of operations) {
    if (asked.kind !== 'refresh' || asked.outcome !== 'ok') continue
    const used = families.refreshTokens.get(asked.of.token ?? '')
    if (used === undefined) continue
    const ended = endingsOfFamily(families, used.family).find(
      (one) => one.operation !== asked && certainlyEnded(one, used.family, asked.invoked),
    )
    if (ended)
      yield seen(
        asked,
        `a refresh token gave tokens at ${when(asked)}, after ${ended.why} at ${when(ended.operation)}`,
      )
  }
}

function* lostTokens({ operations, families }: Judged) {
  for (const asked of operations) {
    if (asked.kind !== 'introspect' || asked.gave?.active !== false) continue
    const id = asked.of.token ?? ''
    const token = families.tokens.get(id)
    if (token === undefined || asked.returned > token.expires - clocksMs) continue
    const explained = endingsOf(families, id, token).some((one) =>
      perhapsEnded(one, token.family, asked.returned),
    )
    if (!explained)
      yield seen(
        asked,
        `a token that was given at ${when(token.issued)} was inactive at ${when(asked)}, and nothing had ended it`,
      )
  }
}

function* lostEvents({ operations, final }: Judged) {
  const delivered = new Set(final.delivered)
  for (const sent of operations)
    if (sent.kind === 'send event' && sent.outcome === 'ok' && !delivered.has(sent.of.event ?? ''))
      yield seen(sent, `an event that was accepted at ${when(sent)} is not in the stream`)
}

function* eventsOutOfOrder({ operations, final }: Judged) {
  const places = new Map<string, number>()
  for (const [place, key] of final.delivered.entries()) if (!places.has(key)) places.set(key, place)
  const last = new Map<string, { place: number; sent: Operation }>()
  for (const sent of operations) {
    const { kind, outcome, of, client } = sent
    const place = places.get(of.event ?? '')
    if (kind !== 'send event' || outcome !== 'ok' || place === undefined) continue
    const before = last.get(client)
    if (before && before.sent.returned < sent.invoked && before.place > place)
      yield seen(
        sent,
        `the event of ${when(sent)} is in the stream before that of ${when(before.sent)}, which had been accepted before`,
      )
    last.set(client, { place, sent })
  }
}

/** The name in the audit log of what is done by a request. */
const auditedActions: Partial<Record<Operation['kind'], string>> = {
  'disable user': 'user.update',
  'delete client': 'client.delete',
  'end tokens': 'tokens.end',
}

function* missingAuditEntries({ operations, final }: Judged) {
  const entries = new Map<string, number>()
  for (const { action, target } of final.audited)
    entries.set(`${action} ${target}`, (entries.get(`${action} ${target}`) ?? 0) + 1)
  const done = new Map<string, Operation[]>()
  for (const operation of operations) {
    const { kind, outcome, of } = operation
    const action = auditedActions[kind]
    if (action === undefined || outcome !== 'ok') continue
    const name = `${action} ${of.user ?? of.clientId ?? ''}`
    push(done, name, operation)
  }
  for (const [name, operations] of done) {
    const [asked, written] = [operations.length, entries.get(name) ?? 0]
    if (written < asked)
      yield seen(
        operations[written],
        `${name} was answered ${asked} times and is ${written} times in the audit log`,
      )
  }
}

function seen(operation: Operation | undefined, text: string): Seen {
  return { text, at: operation?.returned ?? 0 }
}

/** When an operation was under way, in seconds since the history's clock began. */
function when({ invoked, returned }: Pick<Operation, 'invoked' | 'returned'>): string {
  return `${(invoked / 1000).toFixed(3)}–${(returned / 1000).toFixed(3)} s`
}
