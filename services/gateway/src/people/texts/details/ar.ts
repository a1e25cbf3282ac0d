import type { Texts } from './en.ts'

export const texts = {
  heading: 'بياناتك',
  lead: 'تحصل التطبيقات التي تسمح لها بالاطلاع على ملفك الشخصي على هذه البيانات. ما تتركه فارغًا لا يظهر لأحد.',
  addressByAdministrators: 'لا يمكن تغيير عنوان بريدك الإلكتروني إلا من قِبل الإدارة.',
  save: 'حفظ',
  yes: 'نعم',
  no: 'لا',
  choices: { yes: 'نعم', no: 'لا', none: 'غير محدد', leave: (now) => `إبقاء القيمة الحالية: ${now}` },
  faults: {
    text: (label, most) => `يجب أن يكون «${label}» نصًا مرئيًا طوله من 1 إلى ${most} حرف.`,
    picture: (label) => `يجب أن يكون «${label}» عنوان https من دون كلمة مرور.`,
    language: (label) => `يجب أن يكون «${label}» رمز لغة، مثل en أو de-CH.`,
    zone: (label) => `يجب أن يكون «${label}» منطقة زمنية، مثل Europe/Berlin.`,
  },
} satisfies Texts
