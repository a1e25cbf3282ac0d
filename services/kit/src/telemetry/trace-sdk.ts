import { createTraceState, ROOT_CONTEXT, type Tracer as SdkTracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { AlwaysOnSampler, type SpanExporter } from '@opentelemetry/sdk-trace'
import { instance, version } from '../release.ts'
import type { Logger } from './log.ts'
import { setTracer, type Tracer } from './trace.ts'
import type { TraceCollector } from './trace-collector.ts'
import { createTraceIds, type TraceIds } from './trace-ids.ts'
import { createSampler, type Decide } from './trace-sampler.ts'

/** The options of tracing. */
export type TracingOptions = {
  /** The service's name. */
  name: string
  collector: TraceCollector
  log: Logger
  /** OpenTelemetry's variables for the sampler. */
  environment: Record<string, string | undefined>
}

/** How long a process that ends waits for its last spans to be sent, in milliseconds. */
const flushTimeoutMs = 700

/** The most item spans that a batch's span is linked to: the most items that a batch has. */
const linkCountLimit = 512

/**
 * Loads OpenTelemetry and starts tracing. Spans are sent in the background, several at a time; spans that a slow or
 * absent collector does not take in time are dropped.
 * @returns a function that sends the remaining spans and stops
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
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win; other detectors would send command lines and user names.
    resourceDetectors: [envDetector],
    // Only recorded spans reach the SDK: tracerOver has decided before.
    sampler: new AlwaysOnSampler(),
    idGenerator: ids,
    spanLimits: { linkCountLimit },
    traceExporter: reporting(exporter, log),
    // trace-context.ts passes the context between processes; a caller's baggage is not passed on.
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
    // `reporting` has logged why it failed.
    await Promise.race([sdk.shutdown().catch(() => undefined), late])
    clearTimeout(timer)
  }
}

/** An id generator whose next trace id can be chosen. */
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
      // Under load, that is most requests, and the SDK would do nearly as much work for one as for a recorded span.
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

/** Logs the first of several failed exports in a row, and the next one that succeeds. */
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

/** Only a code or a name: the error's own text may hold the collector's answer, and addresses with credentials. */
function reasonOf(error: Error | undefined): string {
  const { code, name, cause } = (error ?? {}) as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException }
  return String(code ?? cause?.code ?? name)
}
