/** Where spans are sent. */
export type TraceCollector = {
  /** The address for traces; undefined: OpenTelemetry's own variables say it. */
  url: string | undefined
}

type Environment = Record<string, string | undefined>

/**
 * Whether spans are to be sent, and where: by OpenTelemetry's variables, or by OAUTH2_OTLP_ENDPOINT, which stands in for
 * OTEL_EXPORTER_OTLP_ENDPOINT. An empty variable counts as absent.
 * @returns undefined where nothing is traced
 */
export function traceCollector(environment: Environment): TraceCollector | undefined {
  if (environment.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return undefined
  // What else can be said there is "otlp", and "console", which would mix with the log.
  const exporters = environment.OTEL_TRACES_EXPORTER?.trim() || 'otlp'
  if (!exporters.split(',').some((exporter) => exporter.trim() === 'otlp')) return undefined
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces, OTEL_EXPORTER_OTLP_ENDPOINT: all } = environment
  if (traces?.trim() || all?.trim()) return { url: undefined }
  const own = environment.OAUTH2_OTLP_ENDPOINT?.trim()
  return own ? { url: `${own.replace(/\/+$/, '')}/v1/traces` } : undefined
}
