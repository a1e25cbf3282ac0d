// A Prisma generator that writes the tables as Prisma understands them to generated/datamodel.json, for drift.ts: the
// generated client leaves out types, nullability and indexes. Prisma starts this program and speaks JSON-RPC with it, one
// message per line: requests on stdin, answers on stderr.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'

interface Request {
  id: number
  method: 'getManifest' | 'generate'
  params: { generator: { output: { value: string } | null }; dmmf: { datamodel: unknown } }
}

async function answer({ method, params }: Request): Promise<object | null> {
  if (method === 'getManifest') {
    return {
      manifest: { prettyName: 'datamodel for the drift check', defaultOutput: '../generated/datamodel.json' },
    }
  }
  const file = params.generator.output?.value
  if (file === undefined) throw new Error('generator datamodel has no output')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify(params.dmmf.datamodel))
  return null
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request
  const { id } = request
  const message = await answer(request).then(
    (result) => ({ jsonrpc: '2.0', id, result }),
    (error: Error) => ({ jsonrpc: '2.0', id, error: { code: 1, message: error.message, data: {} } }),
  )
  process.stderr.write(`${JSON.stringify(message)}\n`)
}
