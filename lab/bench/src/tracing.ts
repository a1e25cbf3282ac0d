import { setTimeout as sleep } from 'node:timers/promises'
import { type BesideDeps, type BesideRound, runBeside } from './beside/beside.ts'
import { BenchFailure } from './failure.ts'
import { send } from './http.ts'
import { startRival } from './peers/rivals.ts'

/** The share of the requests that is recorded. */
export const sampledShare = 0.1

/** The least of its speed that issuing must keep with that. */
export const leastWithTracing = 0.85

/** The results of all rounds. */
export type TracingResult = {
  rounds: BesideRound[]
  /** The share of the token requests whose spans reached the sink. */
  recordedShare: number
}

/** How often a process sends its spans, in milliseconds: OpenTelemetry's default. */
const sendEvery = 5_000

/**
 * Measures the cost of tracing: a second system records a tenth of its requests and sends their spans to a sink in a
 * process of its own.
 * @throws BenchFailure when the sink did not get about a tenth of the requests, or an answer was wrong
 */
export async function runTracingRounds(deps: BesideDeps): Promise<TracingResult> {
  const { gatehouse, start } = deps
  const { credentials, answers } = gatehouse
  const sink = await startRival('span-sink', { credentials, answers }, start.stack)
  const { rounds, other, answered } = await runBeside(deps, {
    name: 'tracing',
    variables: {
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: String(sampledShare),
      OTEL_BSP_SCHEDULE_DELAY: String(sendEvery),
    },
    watched: [sink.watched],
  })
  await sleep(sendEvery + 1_000)
  other.checkAlive()
  const { recorded } = JSON.parse((await send(sink.url)).text) as { recorded: number }
  const recordedShare = recorded / answered
  if (recordedShare < sampledShare * 0.8 || recordedShare > sampledShare * 1.2)
    throw new BenchFailure(`Of ${answered} requests ${(recordedShare * 100).toFixed(1)} % were recorded`)
  return { rounds, recordedShare }
}
