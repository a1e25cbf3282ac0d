import type { Replica } from './world.ts'

/** What came of one request. */
export type Answer = {
  /** What was asked, e.g. `refresh`. */
  kind: string
  gateway: Replica
  /** 0: no answer came. */
  status: number
  /** The error code of the answer, or what happened to the connection. */
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

/** What was answered, counted; and what of it must be looked at. */
export type Journal = {
  /** Requests by kind and status. */
  counts: Map<string, Map<number, number>>
  requests(): number
  /** Connections that were cut: allowed only while that gateway was down. */
  cuts: Remark[]
  /** 503 as it should be, which belongs to a fault. */
  unavailable: Remark[]
  /** Longer than every deadline. */
  slow: Remark[]
  /** What must never be. */
  problems: Remark[]
  note(answer: Answer, allowed: readonly number[]): void
  /** An answer with a status that may be, and which was wrong all the same. */
  complain(answer: Answer, what: string): void
}

/** A deadline of 5 s, and as much as a busy machine may need to say so, in milliseconds. */
const longestAnswer = 8_000

/** An empty one. */
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

/** Whether an answer tells to try again later, as it should. */
function isPolite({ status, error, headers }: Answer): boolean {
  return (
    status === 503 &&
    error === 'temporarily_unavailable' &&
    /^[1-9]\d*$/.test(headers.get('retry-after') ?? '')
  )
}
