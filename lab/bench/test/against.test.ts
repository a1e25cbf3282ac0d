import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Comparison } from '../src/against/comparison.ts'
import { medianFigures, plotsOf, renderPage } from '../src/against/page.ts'
import { plotBars } from '../src/against/plot.ts'
import { renderComparison } from '../src/against/run.ts'
import { rootDirectory } from '../src/repository.ts'

const figures = (perSecond: number) => ({
  perSecond,
  p50: 4.04,
  p99: 12.3,
  cpuMicroseconds: 1_000_000 / perSecond,
  memory: 100 * 2 ** 20,
  idle: 0.4,
  others: 0,
})

const comparison = {
  date: '2026-01-02T03:04:05.678Z',
  minutes: 12.3,
  machine: {
    ...{ cpu: 'A processor', cores: 2, memoryGiB: 24, kernel: '6.18', loadAverage: 0, node: 'v24.0.0' },
    ...{ revision: 'abc1234', changed: false, rivals: { fastify: '5', 'oidc-provider': '9' } },
  },
  wrk: '4.1.0',
  settings: { rounds: 3, seconds: 8, warmUpSeconds: 3, connections: 64 },
  servers: [
    {
      ...{ title: 'Gatehouse', version: '1.2.3', setup: 'Five\nprocesses.', without: {} },
      rounds: [
        { issue: figures(100), login: figures(7.25) },
        { issue: figures(300), login: figures(7.25) },
        { issue: figures(12_345), login: figures(7.25) },
      ],
    },
    {
      ...{ title: 'Another <one>', version: '9', setup: 'One.', without: { login: 'It has none.' } },
      rounds: [{ issue: figures(50) }],
    },
    { title: 'Absent', version: '', setup: 'None.', without: {}, missing: 'Go is missing', rounds: [] },
  ],
} satisfies Comparison

test('the page tells the median of each step, what a server has not, and what is missing on the machine', () => {
  const page = renderPage(comparison)
  expect(page).toContain('| Gatehouse | 300 | 4.0 | 12.3 | 3,333 | 100 | 40 % |')
  expect(page).toContain('| Another <one> | 50 | 4.0 | 12.3 | 20,000 | 100 | 40 % |')
  expect(page).toContain('Another <one>: not measured. It has none.')
  expect(page).toContain('- **Absent** is missing here: Go is missing')
  expect(page).toContain('- **Gatehouse**: Five processes.')
  expect(page).toContain('| Revision | abc1234 |')
  // A step that nobody has is no section.
  expect(page).not.toContain('## Refreshes')
  expect(Object.keys(plotsOf(comparison))).toEqual(['issue.svg', 'login.svg'])
})

test('medians leave out the steps that were not measured', () => {
  expect(medianFigures({ rounds: [] })).toEqual({})
  expect(medianFigures({ rounds: [{ issue: figures(50) }] })).toEqual({ issue: figures(50) })
})

test('the terminal shows each server, and a dash for what it has not', () => {
  const lines = renderComparison(comparison).map((line) => line.trim().split(/\s{2,}/))
  expect(lines[1]).toEqual(['Gatehouse', '300', '–', '–', '–', '–', '7'])
  expect(lines[3]).toEqual(['Absent', '–', '–', '–', '–', '–', '–'])
})

test('a plot shows the values in proportion, and nothing that a title or a label could break', () => {
  const picture = plotBars('Tokens & "more"', [
    { label: 'Gatehouse', value: 200, ours: true },
    { label: '<script>', value: 50, ours: false },
    { label: 'slow', value: 0.05, ours: false },
  ])
  const lengths = [...picture.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, length]) => Number(length))
  expect(lengths[0]).toBe(4 * (lengths[1] ?? 0))
  expect(lengths[2]).toBe(2)
  expect(picture).toContain('&lt;script>')
  expect(picture).toContain('Tokens &amp; &quot;more&quot;')
  expect(picture).not.toContain('<script')
})

test("README's figures are those of docs/evidence/benchmark.md", () => {
  const read = (name: string) => readFileSync(join(rootDirectory, name), 'utf8')
  const [, table = ''] = /^Requests a second [^\n]*\n\n(.*?)\n\n/ms.exec(read('README.md')) ?? []
  const [heading = '', , ...rows] = table.split('\n')
  const names = cellsOf(heading).slice(1)
  const claimed = rows.flatMap((row) =>
    cellsOf(row)
      .slice(1)
      .flatMap((cell, index) => (/\d/.test(cell) ? [`| ${names[index]} | ${cell} |`] : [])),
  )
  expect(claimed.length).toBeGreaterThan(20)
  const page = read('docs/evidence/benchmark.md')
  expect(claimed.filter((claim) => !page.includes(claim))).toEqual([])
})

function cellsOf(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}
