import type { Texts } from './en.ts'

export const texts = {
  heading: 'اختيار مؤسسة',
  lead: (app) => `لأي مؤسسة تستخدم ${app}؟`,
  none: 'ليس لأي منها',
  noChoice: 'الاختيار ناقص: اضغط على اسم مؤسسة.',
  acting: (organization) => `في المؤسسة ${organization}`,
  only: (organization) => `لا يسري هذا الوصول إلا في المؤسسة ${organization}.`,
} satisfies Texts
