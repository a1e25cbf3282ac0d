import { declareTexts } from '../texts/language.ts'

/** The word before the name of an organization. */
export const organizationNameTexts = declareTexts({
  en: { organization: 'Organization' },
  de: { organization: 'Organisation' },
  ar: { organization: 'المؤسسة' },
})
