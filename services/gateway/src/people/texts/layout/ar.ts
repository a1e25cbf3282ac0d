import type { Texts } from './en.ts'

export const texts = {
  navigation: 'الحساب',
  administration: 'الإدارة',
  account: 'الحساب',
  logOut: 'تسجيل الخروج',
  about: 'حول هذا الخادم',
  terms: 'شروط الخدمة',
  privacy: 'الخصوصية',
  support: 'المساعدة',
} satisfies Texts
