import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHere } from '@gatehouse/test/programs/run'
import { makeImages } from './images.ts'
import { onNode, removeNode, startNode } from './node.ts'
import { type Results, writePage } from './page.ts'
import { inRun } from './places.ts'
import { preparePrograms } from './prepare.ts'
import { steps } from './steps/table.ts'

// Tries the chart on a Kubernetes of one node, which has pods, probes, names, policies and autoscalers:
//   npm run test:node                     everything, and docs/evidence/cluster.md with what was found
//   npm run test:node -- install scale    some steps, on the node that `up` keeps, or else on a new one
//   npm run test:node -- up               keeps a node until Ctrl-C
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

/** Starts a node with all images on it. */
async function up() {
  const programs = await preparePrograms()
  const images = await makeImages(programs)
  console.log('Starting the node.')
  const node = await startNode(programs)
  const stop = () => void node.stop().then(() => process.exit(130))
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return { ...node, images }
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
if (command === 'down') await removeNode()
else if (command === 'in') process.exitCode = await runOnNode(...rest)
else if (command === 'up') {
  await up()
  console.log('The node is ready: npm run test:node -- in kubectl get pods -A')
} else await runSteps(process.argv.slice(2))
