import type { Texts } from './en.ts'

export const texts = {
  address: 'عنوان البريد الإلكتروني',
  send: 'إرسال الرسالة',
  wrongAddress: 'أدخل عنوان بريد إلكتروني، مثل ann@example.com.',
  checkMail: 'تحقق من بريدك',
  over: {
    title: 'لم يعد هذا الرابط يعمل',
    lead: 'لقد استُخدم بالفعل، أو انتهت مدته. وينتهي الرابط أيضًا عند تغيير كلمة المرور أو العنوان.',
    toAccount: 'الانتقال إلى حسابك',
  },
} satisfies Texts
