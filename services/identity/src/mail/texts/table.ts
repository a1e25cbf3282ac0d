import type { Language } from '@gatehouse/proto/people/languages'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import type { MailTexts } from './mail-texts.ts'
import { pt } from './pt.ts'
import { zhHans } from './zh-hans.ts'

/** The texts of mails in every language. */
export const mailTexts: Readonly<Record<Language, MailTexts>> = {
  en,
  de,
  fr,
  es,
  pt,
  ja,
  'zh-Hans': zhHans,
  ar,
}
