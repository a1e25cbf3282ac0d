import type { Texts } from './en.ts'

export const texts = {
  title: 'هل تريد تسجيل الخروج؟',
  heading: (brand) => `هل تريد تسجيل الخروج من ${brand}؟`,
  loggedInAs: (user) => `لقد سجّلت الدخول باسم ${user}.`,
  asked: (app) => `يطلب منك ${app} تسجيل الخروج.`,
  explanation: 'ينهي تسجيل الخروج جلستك في هذا المتصفح، وتُبلَّغ بذلك التطبيقات التي سجّلت الدخول إليها.',
  destination: (destination) => `ستنتقل بعد ذلك إلى ${destination}.`,
  submit: 'تسجيل الخروج',
  stay: 'البقاء مسجَّل الدخول',
  noDecision: 'لم يُحدَّد القرار.',
  over: 'سبقت الإجابة عن هذه الصفحة أو أنها قديمة جدًا. افتح حسابك لتسجيل الخروج.',
  loggedOut: {
    heading: 'لقد سجّلت الخروج',
    lead: 'يمكنك إغلاق هذه الصفحة الآن.',
    continueTo: (destination) => `المتابعة إلى ${destination}`,
    again: 'تسجيل الدخول مرة أخرى',
  },
} satisfies Texts
