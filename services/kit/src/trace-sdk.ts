import { createTraceState, ROOT_CONTEXT, type Tracer as SdkTracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { AlwaysOnSampler, type SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from './log.ts'
import { instance, version } from './release.ts'
import { setTracer, type Tracer } from './trace.ts'
import type { TraceCollector } from './trace-collector.ts'
import { createTraceIds, type TraceIds } from './trace-ids.ts'
import { createSampler, type Decide } from './trace-sampler.ts'

/** What tracing needs of its process. */
export type TracingOptions = {
  /** The service's name. */
  name: string
  collector: TraceCollector
  log: Logger
  /** OpenTelemetry's variables that say which traces are recorded. */
  environment: Record<string, string | undefined>
}

/** How long the end of a process waits for its last spans to be sent, in milliseconds. */
const flushTimeoutMs = 700

/** How many items' spans one batch's span is linked to at the most: as many as a batch has. */
const linkCountLimit = 512

/**
 * Loads OpenTelemetry and begins to trace. Spans are sent in the background, some at a time; what a collector that is
 * slow or away does not take in time is dropped.
 * @returns sends what is left and stops
 */
export function startTracing({ name, collector, log, environment }: TracingOptions): () => Promise<void> {
  const exporter = new OTLPTraceExporter(collector.url === undefined ? {} : { url: collector.url })
  const ids = chosenFirst(createTraceIds())
  const sdk = new NodeSDK({
    resource: resourceFromAttributes({
      'service.name': `gatehouse-${name}`,
      'service.version': version,
      'service.instance.id': instance,
    }),
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win; command lines and users are nobody's business.
    resourceDetectors: [envDetector],
    // What is not recorded does not get so far.
    sampler: new AlwaysOnSampler(),
    idGenerator: ids,
    spanLimits: { linkCountLimit },
    traceExporter: reporting(exporter, log),
    // The context goes over the few borders by hand (trace-context.ts); a caller's baggage stops here.
    textMapPropagator: null,
    metricReaders: [],
    logRecordProcessors: [],
  })
  sdk.start()
  setTracer(tracerOver(trace.getTracer('gatehouse', version), createSampler(environment, log), ids))
  return async () => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, flushTimeoutMs)
    })
    // Why it failed has been said by `reporting`.
    await Promise.race([sdk.shutdown().catch(() => undefined), late])
    clearTimeout(timer)
  }
}

/** Ids, where the next trace may be told its own. */
function chosenFirst(ids: TraceIds) {
  let chosen: string | undefined
  return {
    ...ids,
    choose(traceId: string): void {
      chosen = traceId
    },
    generateTraceId(): string {
      const traceId = chosen ?? ids.generateTraceId()
      chosen = undefined
      return traceId
    },
  }
}

function tracerOver(sdk: SdkTracer, decide: Decide, ids: ReturnType<typeof chosenFirst>): Tracer {
  return {
    startSpan(name, options, parent) {
      const traceId = parent?.traceId ?? ids.generateTraceId()
      // Under load that is most requests, for which the SDK would do nearly as much as for a span.
      if (!decide(traceId, parent)) {
        const traceState = parent?.traceState
        const spanId = ids.generateSpanId()
        return trace.wrapSpanContext({ traceId, spanId, traceFlags: 0, ...(traceState && { traceState }) })
      }
      if (parent) return sdk.startSpan(name, options, trace.setSpanContext(ROOT_CONTEXT, parent))
      ids.choose(traceId)
      return sdk.startSpan(name, options, ROOT_CONTEXT)
    },
    startRecordedSpan: (name, options) => sdk.startSpan(name, options, ROOT_CONTEXT),
    readTraceState: createTraceState,
  }
}

/** Says once that the collector does not take spans, until it does again. */
function reporting(exporter: SpanExporter, log: Logger): SpanExporter {
  let failing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined
        if (failed && !failing) {
          log.warn({ reason: reasonOf(result.error) }, 'the trace collector takes no spans: they are dropped')
        } else if (!failed && failing) log.info('the trace collector takes spans again')
        failing = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
}

/** In few words: the error's own text may hold what the collector answered, and addresses with credentials. */
function reasonOf(error: Error | undefined): string {
  const { code, name, cause } = (error ?? {}) as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException }
  return String(code ?? cause?.code ?? name)
}
