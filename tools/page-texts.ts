import { readdirSync } from 'node:fs'
import { type Language, languageTags } from '@gatehouse/proto/people/languages'

const folder = new URL('../services/gateway/src/people/texts/', import.meta.url)

/**
 * The table of the texts of people's pages. Each folder beside it is a page, whose texts stand there in one file a language; where
 * one is missing, the table does not compile.
 */
export function pageTextsFile(): string {
  const pages = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
  const languages = [...languageTags].sort((one, other) => (fileOf(one) < fileOf(other) ? -1 : 1))
  const imports = pages.flatMap((page) =>
    languages.map(
      (language) => `import { texts as ${nameOf(page, language)} } from './${page}/${fileOf(language)}.ts'\n`,
    ),
  )
  const textsOf = (language: Language, indent: string) =>
    pages.map((page) => `${indent}${camelCase(page)}: ${nameOf(page, language)},\n`).join('')
  const others = languageTags.filter((language) => language !== 'en')
  return `// Generated from the folders beside it and proto/people/languages.ts: npm run generate.
import type { Language } from '@gatehouse/proto/people/languages'
${imports.join('')}
const en = {
${textsOf('en', '  ')}}

/** The texts of the pages for people, in one language. */
export type Texts = typeof en

const table: Readonly<Record<Language, Texts>> = {
  en,
${others.map((language) => `  ${keyOf(language)}: {\n${textsOf(language, '    ')}  },\n`).join('')}}

/** The texts of the pages for people in a language. */
export function textsIn(language: Language): Texts {
  return table[language]
}
`
}

const fileOf = (language: Language) => language.toLowerCase()
const keyOf = (language: Language) => (language.includes('-') ? `'${language}'` : language)
const nameOf = (page: string, language: Language) => camelCase(`${page}-${fileOf(language)}`)

function camelCase(kebab: string): string {
  return kebab.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}
