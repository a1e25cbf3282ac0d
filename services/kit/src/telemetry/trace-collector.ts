/** Where spans are sent. */
export type TraceCollector = {
  /** The address for traces; undefined if OpenTelemetry's own variables give it. */
  url: string | undefined
}

type Environment = Record<string, string | undefined>

/**
 * Reads whether and where spans are sent: from OpenTelemetry's variables, or from OAUTH2_OTLP_ENDPOINT, which replaces
 * an absent OTEL_EXPORTER_OTLP_ENDPOINT. An empty variable counts as absent.
 * @returns undefined if nothing is traced
 */
export function traceCollector(environment: Environment): TraceCollector | undefined {
  if (environment.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return undefined
  // Only "otlp" is supported; "console" would mix with the log.
  const exporters = environment.OTEL_TRACES_EXPORTER?.trim() || 'otlp'
  if (!exporters.split(',').some((exporter) => exporter.trim() === 'otlp')) return undefined
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces, OTEL_EXPORTER_OTLP_ENDPOINT: all } = environment
  if (traces?.trim() || all?.trim()) return { url: undefined }
  const own = environment.OAUTH2_OTLP_ENDPOINT?.trim()
  return own ? { url: `${own.replace(/\/+$/, '')}/v1/traces` } : undefined
}
