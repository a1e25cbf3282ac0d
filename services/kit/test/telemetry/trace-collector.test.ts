import { expect, test } from 'vitest'
import { traceCollector } from '../../src/telemetry/trace-collector.ts'

const own = 'http://collector:4318'

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', { OTEL_EXPORTER_OTLP_ENDPOINT: own }, undefined],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own }, undefined],
  ['OAUTH2_OTLP_ENDPOINT', { OAUTH2_OTLP_ENDPOINT: own }, `${own}/v1/traces`],
  ['OAUTH2_OTLP_ENDPOINT with a slash at its end', { OAUTH2_OTLP_ENDPOINT: `${own}//` }, `${own}/v1/traces`],
  ['OAUTH2_OTLP_ENDPOINT with a path', { OAUTH2_OTLP_ENDPOINT: `${own}/tenant` }, `${own}/tenant/v1/traces`],
  [
    'the standard variable if both are set',
    { OAUTH2_OTLP_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other' },
    undefined,
  ],
  [
    'OAUTH2_OTLP_ENDPOINT if the standard variable is empty',
    { OAUTH2_OTLP_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    `${own}/v1/traces`,
  ],
  [
    'OTLP as one of several exporters',
    { OAUTH2_OTLP_ENDPOINT: own, OTEL_TRACES_EXPORTER: 'console, otlp' },
    `${own}/v1/traces`,
  ],
])('spans are sent with %s', (_, environment, url) => {
  expect(traceCollector(environment)).toEqual({ url })
})

test.each([
  ['no address', {}],
  ['empty addresses', { OAUTH2_OTLP_ENDPOINT: '', OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
  ['another signal’s address alone', { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: own }],
  ['the SDK disabled', { OAUTH2_OTLP_ENDPOINT: own, OTEL_SDK_DISABLED: 'true' }],
  ['the SDK disabled in capitals', { OAUTH2_OTLP_ENDPOINT: own, OTEL_SDK_DISABLED: 'TRUE' }],
  ['no exporter', { OAUTH2_OTLP_ENDPOINT: own, OTEL_TRACES_EXPORTER: 'none' }],
  ['the console as the exporter', { OAUTH2_OTLP_ENDPOINT: own, OTEL_TRACES_EXPORTER: 'console' }],
])('nothing is traced with %s', (_, environment) => {
  expect(traceCollector(environment)).toBeUndefined()
})
