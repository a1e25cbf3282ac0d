import { enableCompileCache, flushCompileCache } from 'node:module'
import { compileCache } from './places.ts'

enableCompileCache(compileCache)
// Only modules that are loaded after this line come from the cache.
const { launch } = await import('./launcher.ts')
await launch()
// Flushed now, while nobody waits; otherwise it would delay Ctrl-C.
flushCompileCache()
