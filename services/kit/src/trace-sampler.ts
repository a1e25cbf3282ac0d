import { type Context, createContextKey, ROOT_CONTEXT, SamplingDecision } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { Logger } from './log.ts'

type Environment = Record<string, string | undefined>

const recordedKey = createContextKey('gatehouse.recorded')

/** Where a trace begins that is recorded whatever the variables say, as the batch must be that carries a recorded item. */
export const recorded: Context = ROOT_CONTEXT.setValue(recordedKey, true)

/**
 * Decides which traces are recorded, as OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG say; by default all whose caller
 * does not say otherwise.
 */
export function createSampler(environment: Environment, log: Logger): Sampler {
  const sampler = samplerOf(environment, log)
  return {
    shouldSample: (context, ...span) =>
      context.getValue(recordedKey)
        ? { decision: SamplingDecision.RECORD_AND_SAMPLED }
        : sampler.shouldSample(context, ...span),
    toString: () => sampler.toString(),
  }
}

// NodeSDK reads the same variables, but only when it is given no sampler.
function samplerOf(environment: Environment, log: Logger): Sampler {
  const name = environment.OTEL_TRACES_SAMPLER?.trim() || 'parentbased_always_on'
  const [, parentBased, kind] = /^(parentbased_)?(.*)$/.exec(name) ?? []
  const root = rootSampler(kind, environment.OTEL_TRACES_SAMPLER_ARG, log)
  if (root === undefined) {
    log.warn('OTEL_TRACES_SAMPLER is none that is known here: parentbased_always_on is used')
    return new ParentBasedSampler({ root: new AlwaysOnSampler() })
  }
  return parentBased ? new ParentBasedSampler({ root }) : root
}

function rootSampler(
  kind: string | undefined,
  argument: string | undefined,
  log: Logger,
): Sampler | undefined {
  if (kind === 'always_on') return new AlwaysOnSampler()
  if (kind === 'always_off') return new AlwaysOffSampler()
  if (kind !== 'traceidratio') return undefined
  const ratio = argument?.trim() ? Number(argument) : 1
  if (ratio >= 0 && ratio <= 1) return new TraceIdRatioBasedSampler(ratio)
  log.warn('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1: 1 is used')
  return new TraceIdRatioBasedSampler(1)
}
