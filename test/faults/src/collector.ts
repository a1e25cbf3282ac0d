import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

// Loaded into every process of the soak before its own main.ts. What a heap holds after a full collection is what
// something still refers to; without one, a heap that nobody has tidied yet looks like one that leaks.

const directory = process.env.GATEHOUSE_SOAK_MEMORY
const name = process.env.GATEHOUSE_SOAK_NAME
const everyMs = 20_000

if (directory && name && globalThis.gc) {
  const file = join(directory, `${name}.${process.pid}.jsonl`)
  setInterval(() => {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), live: heapUsed + external })}\n`)
  }, everyMs).unref()
}
