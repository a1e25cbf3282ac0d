import { enableCompileCache, flushCompileCache } from 'node:module'
import { compileCache } from './places.ts'

enableCompileCache(compileCache)
// Only modules that are loaded after this line come from the cache.
const { launch } = await import('./launcher.ts')
await launch()
// Written to disk now, while nobody waits: at the end it would delay Ctrl-C.
flushCompileCache()
