import type { Target } from '../history/fault.ts'
import type { FaultLine, Line } from '../history/lines.ts'
import { type Check, openCheck, time } from './check.ts'
import { checkNames } from './names.ts'
import { meets } from './operations.ts'

type LogoutToken = Extract<Line, { is: 'logout token' }>
type Mail = Extract<Line, { is: 'mail' }>

/** How often a client is told of a logout at most. */
const mostAttempts = 6
/** The shortest pause between two attempts, in milliseconds: ten seconds, of which the first may spend some on its way. */
const shortestPause = 5_000
/** How long an attempt may be on its way when something holds it up, in milliseconds. */
const longestWay = 20_000
/** How late a mail may be: the lease of a killed sender and the first pauses, in milliseconds. */
const latestMail = 600_000

/** Checks what the consumers of logout tokens and mails got. */
export async function checkConsumers(lines: AsyncIterable<Line>, calmAt: number): Promise<Check[]> {
  const tokens = new Map<string, LogoutToken[]>()
  const mails = new Map<string, Mail[]>()
  const asked: AskedMails = { answered: new Map(), unknown: 0, logins: new Map() }
  const faults: FaultLine[] = []
  for await (const line of lines) {
    if (line.is === 'fault') faults.push(line)
    else if (line.is === 'logout token') add(tokens, `${line.session} ${line.clientId}`, line)
    else if (line.is === 'mail') add(mails, line.id, line)
    else if (line.is === 'operation' && line.about.action === 'user.mail') {
      if (line.heard.mailId !== undefined) asked.answered.set(line.heard.mailId, line.returned)
      else asked.unknown += 1
    } else if (line.is === 'operation' && line.name === 'log in' && line.outcome !== 'refused')
      add(asked.logins, line.about.username ?? '', line.invoked)
  }
  for (const times of asked.logins.values()) times.sort((one, other) => one - other)
  return [checkLogouts(tokens, faults), checkTokenIds(tokens), ...checkMails(mails, asked, calmAt)]
}

/** Why mails are sent. */
type AskedMails = {
  /** When the request for each mail was answered, by the mail's id. */
  answered: Map<string, number>
  /** How many requests had no answer. */
  unknown: number
  /** When each user logged in. */
  logins: Map<string, number[]>
}

function add<Item>(all: Map<string, Item[]>, key: string, item: Item): void {
  const items = all.get(key)
  if (items) items.push(item)
  else all.set(key, [item])
}

function checkLogouts(tokens: ReadonlyMap<string, LogoutToken[]>, faults: readonly FaultLine[]): Check {
  // The faults that hold an attempt up after it was taken, so that the next one may come soon after it.
  const onTheWay: readonly Target[] = ['token', 'client-registry', 'postgresql']
  const holding = faults.filter(({ target }) => onTheWay.includes(target))
  const check = openCheck(checkNames.logouts)
  for (const [key, attempts] of tokens) {
    attempts.sort((one, other) => one.at - other.at)
    check.count(attempts.length <= mostAttempts, () => ({
      at: attempts[mostAttempts]?.at ?? 0,
      text: `the logout ${key} was told ${attempts.length} times`,
    }))
    for (const [index, { at }] of attempts.entries()) {
      const next = attempts[index + 1]
      if (!next || next.at - at >= shortestPause) continue
      const span = { began: at - longestWay, ended: next.at }
      check.count(
        holding.some((fault) => meets(fault, span, 0)),
        () => ({
          at: next.at,
          text: `the logout ${key} was told at ${time(at)} and again at ${time(next.at)}`,
        }),
      )
    }
  }
  return check
}

function checkTokenIds(tokens: ReadonlyMap<string, LogoutToken[]>): Check {
  const check = openCheck('two logout tokens with the same id are the same')
  const digests = new Map<string, string>()
  for (const { jti, digest, session, at } of [...tokens.values()].flat()) {
    const first = digests.get(jti) ?? digest
    digests.set(jti, first)
    check.count(first === digest, () => ({
      at,
      text: `the logout token ${jti} of session ${session} differs`,
    }))
  }
  return check
}

function checkMails(mails: ReadonlyMap<string, Mail[]>, asked: AskedMails, calmAt: number): Check[] {
  const once = openCheck(checkNames.mails)
  const all = openCheck('every mail that was answered arrives')
  // Requests without an answer may have sent mails of which nobody knows the id.
  let unknown = asked.unknown
  const known = new Set([...asked.answered.keys()].map((id) => `<${id}@`))
  for (const [id, arrived] of mails) {
    const [first] = arrived
    const differs = arrived.find(({ digest }) => digest !== first?.digest)
    once.count(differs === undefined, () => ({ at: differs?.at ?? 0, text: `the mails ${id} differ` }))
    if (first?.loginOf !== undefined) {
      // At most one mail tells of each login, and not before it.
      const login = asked.logins.get(first.loginOf)?.shift()
      once.count(login !== undefined && login <= first.at, () => ({
        at: first.at,
        text: `the mail ${id} tells of a login of ${first.loginOf} that was not there`,
      }))
      continue
    }
    if (known.has(id.replace(/@.*/, '@'))) continue
    unknown -= 1
    once.count(unknown >= 0, () => ({ at: first?.at ?? 0, text: `the mail ${id} was asked for by nobody` }))
  }
  const ids = new Set([...mails.keys()].map((id) => id.replace(/@.*/, '@')))
  for (const [id, returned] of asked.answered) {
    if (returned > calmAt - latestMail) continue
    all.count(ids.has(`<${id}@`), () => ({ at: returned, text: `the mail ${id} did not arrive` }))
  }
  return [once, all]
}
