import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

// Loaded into every process of a run before its own main.ts. Only referenced objects survive a full garbage collection;
// without one, uncollected garbage would look like a leak.

const directory = process.env.GATEHOUSE_PROOF_MEMORY
const name = process.env.GATEHOUSE_PROOF_NAME
const everyMs = 20_000

if (directory && name && globalThis.gc) {
  const file = join(directory, `${name}.${process.pid}.jsonl`)
  setInterval(() => {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), live: heapUsed + external })}\n`)
  }, everyMs).unref()
}
