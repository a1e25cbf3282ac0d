import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runHere } from '@gatehouse/test/programs/run'
import { makeImages } from './images.ts'
import { onNode, removeNode, startNode } from './node.ts'
import { type Results, writePage } from './page.ts'
import { inRun } from './places.ts'
import { preparePrograms } from './prepare.ts'
import { makeDraft, publishOnNode } from './published.ts'
import { steps } from './steps/table.ts'

// Tries the chart on a Kubernetes of one node, which has pods, probes, names, policies and autoscalers:
//   npm run test:node                     everything, and docs/evidence/cluster.md with what was found
//   npm run test:node -- install scale    some steps, on the node that `up` keeps, or else on a new one
//   npm run test:node -- up               keeps a node until Ctrl-C
//   npm run test:node -- --release DIR    with image and chart that `npm run release -- make --output DIR` made of this commit, in
//                                        place of a draft of this checkout
//   npm run test:node -- in kubectl …     runs a command on the node
//   npm run test:node -- down             ends a node that a killed command left

/** Runs a command on the node, and returns its exit code. */
function runOnNode(...command: string[]): Promise<number> {
  return runHere(...onNode(...command))
}

/** Results in the order of the steps. */
function inOrder(results: Results): Results {
  const at = (name: string) => steps.findIndex((step) => step.name === name)
  return [...results].sort((one, other) => at(one.name) - at(other.name))
}

/** Starts a node with all images on it, and a release of this checkout or a draft of one in its registry. */
async function up() {
  const programs = await preparePrograms()
  await makeImages(programs)
  const output = values.release ? resolve(values.release) : await makeDraft()
  console.log('Starting the node.')
  const node = await startNode(programs)
  const stop = () => void node.stop().then(() => process.exit(130))
  process.on('SIGINT', stop).on('SIGTERM', stop)
  try {
    await publishOnNode(output)
  } catch (error) {
    await node.stop()
    throw error
  }
  return node
}

async function runSteps(names: string[]): Promise<void> {
  const node = existsSync(inRun('init')) ? undefined : await up()
  try {
    process.exitCode = await runOnNode(process.execPath, join(import.meta.dirname, 'run-steps.ts'), ...names)
    const results = JSON.parse(readFileSync(inRun('results.json'), 'utf8')) as Results
    if (results.length === steps.length) await writePage(inOrder(results))
  } finally {
    await node?.stop()
  }
}

const [command, ...rest] = process.argv.slice(2)
const { values, positionals } = parseArgs({
  // A command for the node has options of its own.
  args: command === 'in' ? [] : process.argv.slice(2),
  allowPositionals: true,
  options: { release: { type: 'string' } },
})
if (command === 'down') await removeNode()
else if (command === 'in') process.exitCode = await runOnNode(...rest)
else if (positionals[0] === 'up') {
  await up()
  console.log('The node is ready: npm run test:node -- in kubectl get pods -A')
} else await runSteps(positionals)
