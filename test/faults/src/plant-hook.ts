import { registerHooks } from 'node:module'
import { plants } from './plants.ts'

// Loaded into each process of a system with a planted fault, by --import.
const { edit } = plants[process.env.GATEHOUSE_PROOF_PLANT ?? ''] ?? {}
if (edit) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(`/${edit.file}`)) return loaded
      const source = String(loaded.source)
      if (!source.includes(edit.text))
        throw new Error(`the fault cannot be planted: ${edit.file} has another text`)
      return { ...loaded, source: source.replace(edit.text, edit.by) }
    },
  })
}
