import type { Replica } from './world.ts'

/** The answer to a request. */
export type Answer = {
  /** The kind of request, e.g. `refresh`. */
  kind: string
  gateway: Replica
  /** 0 when no answer came. */
  status: number
  /** The error code of the answer, or of the failed connection. */
  error: string
  text: string
  headers: Headers
  began: number
  ended: number
}

/** An answer that needs an explanation. */
export type Remark = Pick<Answer, 'kind' | 'gateway' | 'status' | 'error' | 'began' | 'ended'> & {
  what: string
}

/** Counts all answers, and keeps those that need an explanation. */
export type Journal = {
  /** Requests by kind and status. */
  counts: Map<string, Map<number, number>>
  requests(): number
  /** Cut connections: allowed only while the gateway was down. */
  cuts: Remark[]
  /** Correct 503 answers: allowed only around a fault. */
  unavailable: Remark[]
  /** Answers that took longer than every deadline. */
  slow: Remark[]
  /** Answers that are never allowed. */
  problems: Remark[]
  note(answer: Answer, allowed: readonly number[]): void
  /** Notes an answer that has an allowed status and is wrong nevertheless. */
  complain(answer: Answer, what: string): void
}

/** A deadline of 5 s, plus what a busy machine may need to answer, in milliseconds. */
const longestAnswer = 8_000

/** Creates an empty journal. */
export function createJournal(): Journal {
  let requests = 0
  const remark = ({ kind, gateway, status, error, began, ended }: Answer, what: string): Remark => ({
    kind,
    gateway,
    status,
    error,
    began,
    ended,
    what,
  })
  const journal: Journal = {
    counts: new Map(),
    requests: () => requests,
    cuts: [],
    unavailable: [],
    slow: [],
    problems: [],
    note(answer, allowed) {
      requests += 1
      const ofKind = journal.counts.get(answer.kind) ?? new Map<number, number>()
      ofKind.set(answer.status, (ofKind.get(answer.status) ?? 0) + 1)
      journal.counts.set(answer.kind, ofKind)
      const { status } = answer
      if (status === 0) journal.cuts.push(remark(answer, 'no answer'))
      else if (isPolite(answer)) journal.unavailable.push(remark(answer, 'not available'))
      else if (!allowed.includes(status)) journal.problems.push(remark(answer, 'unexpected'))
      if (answer.ended - answer.began > longestAnswer) journal.slow.push(remark(answer, 'slow'))
    },
    complain: (answer, what) => void journal.problems.push(remark(answer, what)),
  }
  return journal
}

/** Whether an answer is a correct 503, which says when to try again. */
function isPolite({ status, error, headers }: Answer): boolean {
  return (
    status === 503 &&
    error === 'temporarily_unavailable' &&
    /^[1-9]\d*$/.test(headers.get('retry-after') ?? '')
  )
}
