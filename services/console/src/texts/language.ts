import { createContext, useContext } from 'react'

/** The languages of the console, each with its own name. */
export const languages = { en: 'English', de: 'Deutsch', ar: 'العربية' } as const

/** The code of a language of the console. */
export type Language = keyof typeof languages

/** The language that people see. */
export const LanguageContext = createContext<{ language: Language; choose(language: Language): void }>({
  language: 'en',
  choose: () => undefined,
})

/** The texts of one part of the console, by language. */
export type Texts<Text> = Readonly<Record<Language, Text>>

/** Declares the texts of one part of the console. Each language must have all of them. */
export function declareTexts<Text>(texts: { en: Text } & Record<Language, NoInfer<Text>>): Texts<Text> {
  return texts
}

/** Gets texts in the language that people see. */
export function useTexts<Text>(texts: Texts<Text>): Text {
  return texts[useContext(LanguageContext).language]
}

/** The language that people see, and a function that changes it. */
export function useLanguage() {
  return useContext(LanguageContext)
}

/** Whether a language is written from right to left. */
export function isRightToLeft(language: Language): boolean {
  return language === 'ar'
}

const storedIn = 'gatehouse-language'

/** The language to begin with: the one that was chosen in this browser, or the first that the browser asks for. */
export function initialLanguage(): Language {
  const wanted = [localStorage.getItem(storedIn) ?? '', ...navigator.languages]
  const codes = wanted.map((tag) => tag.split('-', 1)[0] as Language)
  return codes.find((code) => Object.hasOwn(languages, code)) ?? 'en'
}

/** Keeps the chosen language in this browser. */
export function keepLanguage(language: Language): void {
  localStorage.setItem(storedIn, language)
}
