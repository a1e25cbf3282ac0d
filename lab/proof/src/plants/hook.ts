import { registerHooks } from 'node:module'

// Loaded into every process of a run before its own main.ts. It replaces a text of one file when that file is loaded, so that no
// switch for a defect is in the services themselves.

const planted = process.env.GATEHOUSE_PROOF_PLANT
if (planted !== undefined) {
  const { file, from, to } = JSON.parse(planted) as { file: string; from: string; to: string }
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(`/${file}`)) return loaded
      const source = String(loaded.source)
      if (source.split(from).length !== 2)
        throw new Error(`the text to replace must be in ${file} once: ${from}`)
      return { ...loaded, source: source.replace(from, () => to) }
    },
  })
}
