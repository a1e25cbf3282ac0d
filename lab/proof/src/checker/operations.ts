import type { FaultLine, Line, Operation, Span } from '../history/lines.ts'
import { type Check, type OpenCheck, openCheck, time } from './check.ts'
import { expectedOf, mayHaveEnded } from './expectation.ts'
import type { Facts } from './facts.ts'
import { checkNames } from './names.ts'

/** A deadline of 5 s, plus what a busy machine may need to answer, in milliseconds. */
const longestAnswer = 8_000

/** Judges each operation by the facts, in a second reading. */
export async function checkOperations(lines: AsyncIterable<Line>, facts: Facts): Promise<Check[]> {
  const checks = {
    lost: openCheck(checkNames.lost),
    expired: openCheck('an expired token is inactive'),
    revoked: openCheck(checkNames.revoked),
    reused: openCheck(checkNames.families),
    relied: openCheck('a step is refused only when access was ended'),
    verified: openCheck('the signature of every token is valid'),
    links: openCheck('the link of the first mail of an id works'),
    expected: openCheck('every answer is one that its client expects'),
    cut: openCheck('a connection is cut only while its gateway is down'),
    away: openCheck('503 is answered only around a fault'),
    slow: openCheck('an answer takes longer than 8 s only around a fault'),
  }
  const faults: FaultLine[] = []
  const unusual: Operation[] = []
  for await (const line of lines) {
    if (line.is === 'fault') faults.push(line)
    if (line.is !== 'operation') continue
    judge(line, facts, checks)
    if (line.outcome === 'unknown' || line.returned - line.invoked > longestAnswer) unusual.push(line)
  }
  explain(unusual, faults, checks)
  return Object.values(checks)
}

type Checks = Record<
  'lost' | 'expired' | 'revoked' | 'reused' | 'relied' | 'verified' | 'links' | 'expected',
  OpenCheck
>

function judge(operation: Operation, facts: Facts, checks: Checks): void {
  const { name, about, heard, outcome, returned, unexpected } = operation
  const failure = (why: string) => () => ({ at: returned, text: `${line(operation)}: ${why}` })
  checks.expected.count(unexpected === undefined, failure(unexpected ?? ''))
  if (name === 'introspect' && outcome === 'ok') judgeIntrospection(operation, facts, checks)
  else if (name === 'verify') checks.verified.count(heard.valid === true, failure(`key ${about.kid}`))
  else if (name === 'mail link' && outcome !== 'unknown')
    checks.links.count(heard.valid === true, failure(`mail ${about.target}`))
  else if (about.relies && name !== 'redeem' && outcome !== 'unknown') {
    const { since, ...owner } = about.relies
    const isRight = outcome === 'ok' || mayHaveEnded(owner, { began: since, ended: returned }, facts)
    checks.relied.count(isRight, failure('nothing had ended the access'))
  }
}

function judgeIntrospection(operation: Operation, facts: Facts, checks: Checks): void {
  const { about, heard, invoked, returned, gateway } = operation
  const token = facts.tokens.get(about.token ?? '')
  if (!token) return
  const { state, because } = expectedOf(token, { began: invoked, ended: returned }, facts)
  if (state === 'either') return
  const check =
    state === 'active'
      ? checks.lost
      : { expiry: checks.expired, reuse: checks.reused, revocation: checks.revoked }[because ?? 'revocation']
  check.count(heard.active === (state === 'active'), () => ({
    at: returned,
    text: `the token ${about.token} is ${heard.active ? 'active' : 'inactive'} at gateway ${gateway} at ${time(returned)}`,
  }))
}

/** Checks that a fault explains every unusual answer. */
function explain(
  unusual: readonly Operation[],
  faults: readonly FaultLine[],
  checks: Record<'cut' | 'away' | 'slow', OpenCheck>,
): void {
  for (const operation of unusual) {
    const { invoked, returned, status, gateway } = operation
    const span = { began: invoked, ended: returned }
    const failure = () => ({ at: returned, text: line(operation) })
    const around = (afterMs: number) => faults.some((fault) => meets(fault, span, afterMs))
    const isDown = (fault: FaultLine) =>
      fault.target === 'gateway' && fault.replica === gateway && meets(fault, span, 2_000)
    if (status === 0) checks.cut.count(faults.some(isDown), failure)
    else if (status === 503) checks.away.count(around(5_000), failure)
    if (returned - invoked > longestAnswer) checks.slow.count(around(2_000), failure)
  }
}

/** Whether something happened during a fault or shortly after. */
export function meets(
  fault: Pick<FaultLine, 'began' | 'over' | 'recovered' | 'ready'>,
  { began, ended }: Span,
  afterMs: number,
): boolean {
  const { recovered = Number.POSITIVE_INFINITY, ready = Number.POSITIVE_INFINITY } = fault
  return began <= Math.max(fault.over, recovered, ready) + afterMs && ended >= fault.began - 200
}

function line({ client, name, gateway, invoked, status, error }: Operation): string {
  return `${client}: ${name} at gateway ${gateway}, ${time(invoked)} (${status}${error ? ` ${error}` : ''})`
}
