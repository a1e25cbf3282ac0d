import type { Language } from '@gatehouse/proto/people/languages'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en, type Texts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { pt } from './pt.ts'
import { zhHans } from './zh-hans.ts'

const table: Readonly<Record<Language, Texts>> = { en, de, fr, es, pt, ja, 'zh-Hans': zhHans, ar }

/** The texts of the pages for people in a language. */
export function textsIn(language: Language): Texts {
  return table[language]
}
