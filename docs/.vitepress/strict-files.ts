import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

// The best quality, 11, takes ten times as long to save a tenth more.
const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }

/** Makes what VitePress writes fit for a Content-Security-Policy that allows no inline scripts and styles. */
export function strictFiles(base: string) {
  const files = new Map<string, string>()
  const fileOf = (content: string, type: string) => {
    const name = `assets/${createHash('sha256').update(content).digest('hex').slice(0, 16)}.${type}`
    files.set(name, content)
    return base + name
  }
  return {
    /**
     * A page, whose inline scripts become files. Its two inline styles are rules of theme/style.css.
     * @param colors the stylesheet of all classes that color code
     */
    withoutInline(html: string, colors: string): string {
      const page = html
        .replaceAll(
          /<script( id="[\w-]+")?>(.+?)<\/script>/gs,
          (_, _id, code: string) => `<script src="${fileOf(code, 'js')}"></script>`,
        )
        .replace('</head>', () => `<link rel="stylesheet" href="${fileOf(colors, 'css')}">\n  </head>`)
        .replaceAll(/ style="(--vp-vh:0px|position:relative);"/g, '')
      const inline = /<style|<script(?![^>]* src=)[^>]*>|<[^>]* (style|on\w+)="[^"]*"/.exec(page)
      if (inline) throw new Error(`the Content-Security-Policy of the site forbids ${inline[0]}`)
      return page
    },
    /** Writes these files, and beside each text file the same compressed, because the gateway compresses nothing. */
    write(directory: string): void {
      for (const [name, content] of files) writeFileSync(join(directory, name), content)
      for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(html|js|css|svg|json)$/.test(name)) continue
        const file = join(directory, name)
        writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file), { params }))
      }
    },
  }
}
