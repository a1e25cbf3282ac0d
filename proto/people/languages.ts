/** A language of the pages and mails. */
type LanguageEntry = {
  /** Its own name for itself. */
  readonly name: string
  readonly direction: 'ltr' | 'rtl'
}

/** The languages of the pages and mails, by their tags (BCP 47). */
export const languages = {
  en: { name: 'English', direction: 'ltr' },
  de: { name: 'Deutsch', direction: 'ltr' },
  fr: { name: 'Français', direction: 'ltr' },
  es: { name: 'Español', direction: 'ltr' },
  pt: { name: 'Português', direction: 'ltr' },
  ja: { name: '日本語', direction: 'ltr' },
  'zh-Hans': { name: '简体中文', direction: 'ltr' },
  ar: { name: 'العربية', direction: 'rtl' },
} as const satisfies Record<string, LanguageEntry>

/** The tag of one of our languages. */
export type Language = keyof typeof languages

/** The tags of our languages. */
export const languageTags = Object.keys(languages) as Language[]

/** The direction in which a language is written. */
export function directionOf(language: Language): 'ltr' | 'rtl' {
  return languages[language].direction
}

/**
 * The first of the wanted languages that is one of ours. Regions do not count: pt-PT is pt. Chinese of any script is simplified Chinese.
 * @param wanted language tags (BCP 47) in the order of preference; tags that are none are passed over
 * @returns English when none of them is ours
 */
export function chooseLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const [primary = ''] = tag.toLowerCase().split(/[-_]/, 1)
    const found = languageTags.find((language) => language.split('-', 1)[0] === primary)
    if (found) return found
  }
  return 'en'
}
