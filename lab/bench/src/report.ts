import { longestWait } from './admin-pages.ts'
import { type Ratio, ratios, type Summary, summarize } from './measuring/statistics.ts'
import type { Usage } from './measuring/usage.ts'
import type { Phase } from './options.ts'
import type { Series } from './rounds.ts'
import {
  leastWithTokens,
  type SizeCost,
  type SizeLoad,
  type SizeResult,
  sizeCosts,
} from './tables/table-size.ts'

const titles: Record<Phase, string> = { issue: 'Tokens', introspect: 'Introspections' }

/** The results for people: a table for each phase, its processes, and the ratios. */
export function renderReport(series: readonly Series[], sizes: readonly SizeResult[]): string {
  const lines: string[] = []
  for (const phase of ['issue', 'introspect'] as const) {
    const found = series.filter((one) => one.phase === phase)
    if (found.length > 0) lines.push('', ...renderPhase(phase, found))
  }
  const compared = ratios(series)
  const costs = sizeCosts(sizes)
  if (compared.length > 0) lines.push('', '  Gatehouse compared', ...compared.map(renderRatio))
  if (costs.length > 0)
    lines.push(
      '',
      `  Of the speed with few tokens (at least ${percent(leastWithTokens)}, except for tokens from anywhere)`,
      ...costs.map(renderCost),
    )
  for (const size of sizes) lines.push('', ...renderPages(size))
  const pairs = sizes.flatMap(({ series }) => series).flatMap(({ rounds }) => rounds)
  const rounds = [...series.flatMap((one) => one.rounds), ...pairs.flatMap(({ off, on }) => [off, on])]
  lines.push(...renderDisturbance(rounds.map(({ usage }) => usage)))
  return `${lines.join('\n')}\n\n`
}

function renderPages({ storedTokens, pages: { few, many } }: SizeResult): string[] {
  const rows = many.map(({ page, p50, p95 }, index) => [
    page,
    few[index]?.p50.toFixed(1) ?? '',
    p50.toFixed(1),
    `${p95.toFixed(1)}${p95 > longestWait ? '  TOO SLOW' : ''}`,
  ])
  const head = [`An administrator, ${thousands(storedTokens)} tokens`, 'with few: p50 ms', 'p50 ms', 'p95 ms']
  return table([head, ...rows])
}

function renderPhase(phase: Phase, found: readonly Series[]): string[] {
  const summaries = found.map((one) => ({ subject: one.subject, summary: summarize(one) }))
  const head = [titles[phase], 'a second', 'p50 ms', 'p99 ms', 'CPU µs each', 'machine idle', 'others']
  const rows = summaries.map(({ subject, summary }) => [
    subject,
    thousands(summary.perSecond),
    summary.latency.p50.toFixed(1),
    summary.latency.p99.toFixed(1),
    Math.round(summary.cpuMicroseconds).toString(),
    percent(summary.machine.idle),
    percent(summary.machine.others),
  ])
  const own = summaries.find(({ subject }) => subject === 'gatehouse')?.summary
  return [...table([head, ...rows]), '', ...table(renderProcesses(own)), ...renderSyncs(own)]
}

function renderProcesses(summary: Summary | undefined): string[][] {
  if (!summary) return []
  const head = ['  of gatehouse', 'cores', 'CPU µs each', 'memory MiB']
  const rows = summary.processes
    .filter(({ cores }) => cores >= 0.005)
    .map(({ name, cores, cpuMicroseconds, memory }) => [
      `  ${name}`,
      cores.toFixed(2),
      cpuMicroseconds.toFixed(0),
      memory === undefined ? '' : (memory / 2 ** 20).toFixed(0),
    ])
  return [head, ...rows]
}

function renderSyncs(summary: Summary | undefined): string[] {
  if (summary?.tokensPerLogSync === undefined) return []
  const each = summary.tokensPerLogSync.toFixed(0)
  return [
    '',
    `  Every token answered was in PostgreSQL; about ${each} shared one sync of its log to the disk.`,
  ]
}

function renderRatio({ phase, rival, throughput, cpuPerRequest }: Ratio): string {
  const rate = rival === 'ceiling' ? `${percent(throughput)} of` : `${throughput.toFixed(2)} times`
  const cpu = `${cpuPerRequest.toFixed(2)} times the CPU each`
  return `  ${titles[phase].toLowerCase().padEnd(15)} ${rate} the ${rival}’s rate, with ${cpu}`
}

const loadTitles: Record<SizeLoad, string> = {
  issue: 'tokens',
  'introspect recent': 'introspections of recent tokens',
  'introspect any': 'introspections of tokens from anywhere',
}

function renderCost({ storedTokens, load, throughput, cpuPerRequest, enough }: SizeCost): string {
  const rows = `${thousands(storedTokens)} stored`
  const verdict = enough ? '' : '  TOO LITTLE'
  return `  ${loadTitles[load].padEnd(38)} ${rows.padStart(18)}  ${percent(throughput).padStart(6)}, ${cpuPerRequest.toFixed(2)} times the CPU each${verdict}`
}

/** If other programs take more than this share of the machine, the numbers say little. */
const tolerable = 0.1

/** A warning if other programs took too much of the machine. */
export function renderDisturbance(usages: readonly Usage[]): string[] {
  const most = Math.max(0, ...usages.map(({ others, stolen }) => others + stolen))
  if (most <= tolerable) return []
  return ['', `  Other programs took up to ${percent(most)} of the machine: measure again when it is quiet.`]
}

/** Aligns the cells of a table, the first to the left. */
export function table(rows: readonly string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    return `  ${cells.join('   ')}`
  })
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
