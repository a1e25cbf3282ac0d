import { Counter, Histogram, Registry } from '@gatehouse/kit/telemetry/metrics'
import { expect, test } from 'vitest'
import { mergeExpositions } from '../../src/system/exposition.ts'

const part = (text: string, service: string, instance = 'host-1') => ({ text, labels: { service, instance } })

test('each family is named once, and each sample has its service and instance', () => {
  const requests = (count: number) =>
    `# HELP requests_total Requests.\n# TYPE requests_total counter\nrequests_total{status="200"} ${count}\n`
  expect(mergeExpositions([part(requests(1), 'gateway'), part(requests(2), 'token', 'host-2')])).toBe(
    [
      '# HELP requests_total Requests.',
      '# TYPE requests_total counter',
      'requests_total{service="gateway",instance="host-1",status="200"} 1',
      'requests_total{service="token",instance="host-2",status="200"} 2',
      '',
    ].join('\n'),
  )
})

test('the samples of a family stay together, whatever its place in each process’s metrics', () => {
  const family = (name: string) => `# HELP ${name} X.\n# TYPE ${name} gauge\n${name} 1\n`
  const merged = mergeExpositions([
    part(family('a') + family('b'), 'one'),
    part(family('b') + family('a'), 'two'),
  ])
  const names = merged.split('\n').flatMap((line) => (line.startsWith('#') || line === '' ? [] : [line[0]]))
  expect(names).toEqual(['a', 'a', 'b', 'b'])
})

test.each([
  ['up 1', 'up{service="s",instance="host-1"} 1'],
  ['up{} 1', 'up{service="s",instance="host-1"} 1'],
  ['up{a="b"} 1.5e-3', 'up{service="s",instance="host-1",a="b"} 1.5e-3'],
  ['up{a="{x} y"} NaN', 'up{service="s",instance="host-1",a="{x} y"} NaN'],
  ['up{a="b"} 1 1700000000000', 'up{service="s",instance="host-1",a="b"} 1 1700000000000'],
  ['up +Inf', 'up{service="s",instance="host-1"} +Inf'],
])('the sample %s becomes %s', (sample, expected) => {
  expect(mergeExpositions([part(`# TYPE up gauge\n${sample}\n`, 's')])).toBe(`# TYPE up gauge\n${expected}\n`)
})

test('labels are escaped', () => {
  const merged = mergeExpositions([part('# TYPE up gauge\nup 1\n', 'a"b\\c\nd')])
  expect(merged).toContain('up{service="a\\"b\\\\c\\nd",instance="host-1"} 1')
})

test('a family with different help texts is named once', () => {
  const merged = mergeExpositions([
    part('# HELP up Old.\n# TYPE up gauge\nup 1\n', 'one'),
    part('# HELP up New.\n# TYPE up gauge\nup 2\n', 'two'),
  ])
  expect(merged.match(/^# /gm)).toHaveLength(2)
  expect(merged.match(/^up\{/gm)).toHaveLength(2)
})

test('no metrics give an empty text', () => {
  expect(mergeExpositions([])).toBe('')
  expect(mergeExpositions([part('', 'a')])).toBe('')
})

test('what prom-client writes keeps every sample, histograms too', async () => {
  const registry = new Registry()
  const seconds = new Histogram({
    name: 'seconds',
    help: 'Seconds.',
    labelNames: ['route'],
    buckets: [1, 2],
    registers: [registry],
  })
  seconds.observe({ route: '/a' }, 1.5)
  new Counter({ name: 'total', help: 'Total.', registers: [registry] }).inc(3)
  const text = await registry.metrics()
  const merged = mergeExpositions([part(text, 'one'), part(text, 'two')])
  const samples = (some: string) => some.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  expect(samples(merged)).toHaveLength(2 * samples(text).length)
  expect(merged).toContain('seconds_bucket{service="two",instance="host-1",le="+Inf",route="/a"} 1')
  expect(merged).toContain('total{service="one",instance="host-1"} 3')
})
