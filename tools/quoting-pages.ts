import { readdirSync, readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** A block of code, below the comment that names the file of which it is the copy. The tests run these files. */
const quotation = /(?<=^<!-- npm run generate copies (\S+) to here\. -->\n+```\w*\n).*?(?=^```$)/gms

const quotes = (path: string) => textOf(path).match(quotation) !== null

/** Functions that give each page that shows such files as it is, but with the files as they are now. */
export const quotingPages: Readonly<Record<string, () => string>> = Object.fromEntries(
  readdirSync(new URL('docs', root), { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .filter(quotes)
    .map((page) => [page, () => textOf(page).replace(quotation, (_, file: string) => textOf(file))]),
)
