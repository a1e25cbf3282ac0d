import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { run } from '@gatehouse/test/programs/programs'
import { kubernetesVersion } from '../cluster/hyperkube.ts'
import { type Finding, seconds } from './findings.ts'

/** The findings of the steps, and the errors of those that failed. */
export type Results = {
  name: string
  title: string
  /** When it began, in milliseconds since the Unix epoch. */
  at: number
  /** In milliseconds. */
  took: number
  revision: string
  findings: Finding[]
  error: string | undefined
}[]

/** Writes docs/evidence/cluster.md with what a run of all steps found. */
export async function writePage(results: Results): Promise<void> {
  const about = readFileSync(join(import.meta.dirname, 'page.md'), 'utf8')
  const sections = results.map(({ title, took, revision, findings, error }) => {
    const rows = findings.map(({ what, seen }) => `| ${cell(what)} | ${cell(seen)} |`)
    const table = rows.length > 0 ? `\n\n| | |\n|---|---|\n${rows.join('\n')}` : ''
    const failure = error ? `\n\n**Failed**: ${cell(error.split('\n')[0] ?? '')}` : ''
    return `### ${title}\n\nRevision ${revision}, ${seconds(took)}.${failure}${table}`
  })
  const text = about.replace('RUN', await aboutRun(results)).replace('STEPS', sections.join('\n\n'))
  writeFileSync(join(rootDirectory, 'docs/evidence/cluster.md'), `${text.trim()}\n`)
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** The revision of this checkout. */
export async function revision(): Promise<string> {
  const git = async (...argv: string[]) => (await run('git', ['-C', rootDirectory, ...argv])).stdout.trim()
  const isChanged = (await git('status', '--porcelain', '--untracked-files=no')) !== ''
  return `${await git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`
}

async function aboutRun(results: Results): Promise<string> {
  const [cpu] = cpus()
  const failed = results.filter(({ error }) => error !== undefined).length
  const begun = new Date(Math.min(...results.map(({ at }) => at)))
  const rows = [
    ['Date', begun.toISOString().slice(0, 16).replace('T', ' ')],
    ['Revision', await revision()],
    [
      'Machine',
      `${cpus().length} cores of ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`,
    ],
    ['Kubernetes', kubernetesVersion],
    ['Steps', `${results.length - failed} passed, ${failed} failed`],
    ['Time', seconds(results.reduce((sum, { took }) => sum + took, 0))],
  ]
  return `| | |\n|---|---|\n${rows.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}`
}
