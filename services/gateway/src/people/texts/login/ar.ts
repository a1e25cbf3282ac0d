import { minutesIn } from '../time.ts'
import type { Texts } from './en.ts'

export const texts = {
  heading: 'تسجيل الدخول',
  toContinueTo: (app) => `للمتابعة إلى ${app}`,
  again: (user) => `لقد سجّلت الدخول باسم ${user}. للمتابعة، سجّل الدخول مرة أخرى.`,
  loggedIn: (user, link) => `لقد سجّلت الدخول باسم ${user}. ${link}، أو سجّل الدخول بحساب آخر.`,
  continue: 'تابع',
  toAccount: 'انتقل إلى حسابك',
  username: 'اسم المستخدم أو عنوان البريد الإلكتروني',
  password: 'كلمة المرور',
  submit: 'تسجيل الدخول',
  providers: 'أو سجّل الدخول عبر',
  missing: 'أدخل اسم المستخدم وكلمة المرور.',
  wrong: 'اسم المستخدم أو كلمة المرور غير صحيحة. تحقق منهما وحاول مرة أخرى.',
  tooMany: (seconds) => `محاولات تسجيل الدخول الفاشلة كثيرة جدًا. أعد المحاولة ${minutesIn('ar', seconds)}.`,
  forgot: 'هل نسيت كلمة المرور؟',
  signUp: 'إنشاء حساب',
} satisfies Texts
