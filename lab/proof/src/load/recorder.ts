import type { HistoryWriter } from '../history/file.ts'
import type { About, Heard, Operation, OperationName, Outcome } from '../history/lines.ts'
import type { Replica } from '../history/replica.ts'

/** The answer to a request, in the load's own memory. Times are in milliseconds since the start of the run. */
export type Answer = {
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

/** The memory of the load: the file has everything else. */
export type Recorder = {
  /** Milliseconds since the start of the run, by the monotonic clock. */
  now(): number
  /** How many operations there were, by name and status. */
  counts: Map<string, Map<number, number>>
  requests(): number
  /** The answers that nothing allows, to be shown while the run lasts. */
  unexpected: string[]
  /** Writes an operation. */
  record(operation: Omit<Operation, 'is'>): void
  /** Keeps a value that must be in no log. Of very many, a random part is kept. */
  keepSecret(value: string): void
  secrets(): readonly string[]
}

const mostSecrets = 100_000
const mostShown = 1_000

/** Creates what records the operations of a load. @param began when the run began, by performance.now() */
export function createRecorder(writer: Pick<HistoryWriter, 'write'>, began: number): Recorder {
  const secrets: string[] = []
  let [requests, seen] = [0, 0]
  const recorder: Recorder = {
    now: () => performance.now() - began,
    counts: new Map(),
    requests: () => requests,
    unexpected: [],
    record(operation) {
      requests += 1
      const { name, status, client, error = '', unexpected } = operation
      const ofName = recorder.counts.get(name) ?? new Map<number, number>()
      ofName.set(status, (ofName.get(status) ?? 0) + 1)
      recorder.counts.set(name, ofName)
      if (unexpected && recorder.unexpected.length < mostShown)
        recorder.unexpected.push(`${client}: ${name}: ${status} ${error} ${unexpected}`)
      writer.write({ is: 'operation', ...operation })
    },
    keepSecret(value) {
      seen += 1
      if (secrets.length < mostSecrets) secrets.push(value)
      else {
        const place = Math.floor(Math.random() * seen)
        if (place < mostSecrets) secrets[place] = value
      }
    },
    secrets: () => secrets,
  }
  return recorder
}

/** Whether an answer is a correct 503, which says when to try again. */
export function isPolite({ status, error, headers }: Pick<Answer, 'status' | 'error' | 'headers'>): boolean {
  return (
    status === 503 &&
    error === 'temporarily_unavailable' &&
    /^[1-9]\d*$/.test(headers.get('retry-after') ?? '')
  )
}

/**
 * The outcome of an operation by its answer. After a 5xx or no answer, the effect may have happened.
 * @param refused whether an answer with a good status refuses, such as a redirect with an error
 */
export function outcomeOf({ status }: Pick<Answer, 'status'>, refused: boolean): Outcome {
  if (status === 0 || status >= 500) return 'unknown'
  return status >= 400 || refused ? 'refused' : 'ok'
}

/** The parameters of an operation and its answer, as a caller of `ask` says them. */
export type OperationOptions = {
  name: OperationName
  about?: About
  /** Reads the answer; only for answers with an allowed status. */
  hear?: (answer: Answer) => Heard
  /** Whether an answer with a good status refuses. */
  refuses?: (answer: Answer) => boolean
}
