import { enableCompileCache, flushCompileCache } from 'node:module'
import { compileCache } from './places.ts'

enableCompileCache(compileCache)
// Only what is loaded after that line comes from the cache.
const { launch } = await import('./launcher.ts')
await launch()
// Now, while nobody waits; otherwise Ctrl-C would.
flushCompileCache()
