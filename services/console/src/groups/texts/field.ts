import type { GroupChange, GroupToCreate } from '@gatehouse/admin-api/generated/openapi'
import { declareFields } from '../../form/field-words.ts'

type Field = Exclude<keyof GroupToCreate | keyof GroupChange, 'revision'>

/** The words for the fields of a group in forms, by the names of the API. */
export const groupFieldTexts = declareFields<Field>({
  en: {
    name: [
      'Name',
      'Apps that are told of groups read it in the claim groups. No two groups have the same name, ignoring case. A new name ends the access tokens that have groups in them.',
    ],
  },
  de: {
    name: [
      'Name',
      'Apps, die von Gruppen erfahren, lesen ihn im Claim groups. Keine zwei Gruppen heißen gleich, auch nicht bei anderer Groß- und Kleinschreibung. Ein neuer Name beendet die Access-Tokens, in denen Gruppen stehen.',
    ],
    description: ['Beschreibung', 'Für die Verwaltung. Apps bekommen sie nicht.'],
  },
  ar: {
    name: [
      'الاسم',
      'تقرؤه التطبيقات التي تُبلَّغ بالمجموعات في الحقل groups. لا تحمل مجموعتان الاسم نفسه ولو اختلفت حالة الأحرف. ينهي الاسم الجديد رموز الوصول التي فيها مجموعات.',
    ],
    description: ['الوصف', 'للمسؤولين. لا تحصل عليه التطبيقات.'],
  },
})
