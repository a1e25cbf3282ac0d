import type { Logger } from './log.ts'
import { isSampled, type SpanContext } from './trace.ts'

type Environment = Record<string, string | undefined>

/**
 * Decides whether a trace is recorded.
 * @param traceId 32 hexadecimal digits
 * @param parent the caller's span; undefined if the trace begins here
 */
export type Decide = (traceId: string, parent: SpanContext | undefined) => boolean

/**
 * Creates the sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG name; by default a trace is recorded unless
 * its caller decided otherwise. The SDK's own samplers need most of a span before they can decide against it.
 */
export function createSampler(environment: Environment, log: Logger): Decide {
  const name = environment.OTEL_TRACES_SAMPLER?.trim() || 'parentbased_always_on'
  const [, parentBased, kind] = /^(parentbased_)?(.*)$/.exec(name) ?? []
  const own = ownDecision(kind, environment.OTEL_TRACES_SAMPLER_ARG, log)
  if (own === undefined) {
    log.warn('OTEL_TRACES_SAMPLER names an unknown sampler: parentbased_always_on is used')
    return (_, parent) => parent === undefined || isSampled(parent)
  }
  return parentBased ? (traceId, parent) => (parent ? isSampled(parent) : own(traceId)) : own
}

function ownDecision(
  kind: string | undefined,
  argument: string | undefined,
  log: Logger,
): ((traceId: string) => boolean) | undefined {
  if (kind === 'always_on') return () => true
  if (kind === 'always_off') return () => false
  return kind === 'traceidratio' ? byRatio(ratioOf(argument, log)) : undefined
}

function ratioOf(argument: string | undefined, log: Logger): number {
  const ratio = argument?.trim() ? Number(argument) : 1
  if (ratio >= 0 && ratio <= 1) return ratio
  log.warn('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1: 1 is used')
  return 1
}

/** Decides by the last digits of the id, which are random (W3C Trace Context level 2), so that all processes agree. */
function byRatio(ratio: number): (traceId: string) => boolean {
  const digits = 13
  const least = (1 - ratio) * 16 ** digits
  return (traceId) => Number.parseInt(traceId.slice(-digits), 16) >= least
}
