import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'
import { formSchemasOf } from './form-schemas.ts'
import { listsOf } from './lists.ts'
import { providersOf } from './providers.ts'

/** The modules that are made of the OpenAPI document. */
const made: Readonly<Record<string, (document: never) => object>> = {
  'virtual:form-schemas': formSchemasOf,
  'virtual:lists': listsOf,
  'virtual:providers': providersOf,
}

/** Gives the console what it needs of the OpenAPI document: the schemas of its forms, its lists, and the names of providers. */
function documentModules(): Plugin {
  const document = join(import.meta.dirname, '../../docs/reference/openapi.json')
  return {
    name: 'document-modules',
    resolveId: (source) => (Object.hasOwn(made, source) ? `\0${source}` : undefined),
    load(resolved) {
      const make = made[resolved.slice(1)]
      if (!resolved.startsWith('\0') || make === undefined) return undefined
      this.addWatchFile(document)
      return `export default ${JSON.stringify(make(JSON.parse(readFileSync(document, 'utf8')) as never))}`
    },
  }
}

/** Adds each script and stylesheet once more, compressed, because the gateway compresses nothing. */
function compressedFiles(): Plugin {
  return {
    name: 'compressed-files',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (!/\.(js|css)$/.test(file.fileName)) continue
          const source = brotliCompressSync(file.type === 'chunk' ? file.code : file.source)
          this.emitFile({ type: 'asset', fileName: `${file.fileName}.br`, source })
        }
      },
    },
  }
}

export default defineConfig(({ command }) => ({
  // Where the gateway serves the built files. The development server serves the pages too, at every address that it does not pass on.
  base: command === 'build' ? '/assets/console/' : '/',
  plugins: [documentModules(), compressedFiles()],
  build: {
    target: 'es2023',
    // Browsers that know light-dark(): what the build would put in its place does not know Mantine's color schemes.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    assetsDir: '.',
    // The Content-Security-Policy allows no inline files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Libraries say for which parts of another framework they are meant.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  server: {
    proxy: {
      // A system on this machine. It accepts changes from its own pages only, as which those of the development server count here.
      '^/(admin/api|auth|account|assets|oauth|\\.well-known)': {
        target: 'http://localhost:8080',
        headers: { origin: 'http://localhost:8080' },
      },
    },
  },
}))
