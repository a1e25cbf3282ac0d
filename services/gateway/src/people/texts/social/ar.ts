import type { Texts } from './en.ts'

const startAgain = 'عُد إلى صفحة تسجيل الدخول وابدأ من جديد.'

export const texts = {
  unreachable: (provider) => ({
    heading: `لا يستجيب ${provider}`,
    description: `لا يستجيب ${provider} في الوقت الحالي.`,
    advice: 'لم يُسجَّل دخولك. حاول مرة أخرى بعد دقيقة، أو سجّل الدخول بطريقة أخرى.',
  }),
  notOffered: (provider) => ({
    heading: `${provider} غير متاح هنا`,
    description: `تسجيل الدخول عبر ${provider} غير متاح على هذا الخادم.`,
    advice: 'سجّل الدخول بطريقة أخرى.',
  }),
  notConfigured: (provider) => ({
    heading: `لم يُعدّ ${provider} هنا`,
    description: `لم يُعدّ تسجيل الدخول عبر ${provider} على هذا الخادم.`,
    advice: 'سجّل الدخول بطريقة أخرى. يمكن للإدارة إعداده.',
  }),
  unknownLogin: {
    heading: 'انتهت عملية تسجيل الدخول هذه',
    description: 'اكتمل تسجيل الدخول من قبل، أو استغرق وقتًا طويلًا، أو بدأ في متصفح آخر.',
    advice: startAgain,
  },
  denied: (provider) => ({
    heading: 'لم يُسجَّل دخولك',
    description: `أفاد ${provider} بأن تسجيل الدخول قد أُلغي أو أنه غير مسموح به.`,
    advice: 'إذا لم تقصد الإلغاء، فعُد إلى صفحة تسجيل الدخول وابدأ من جديد.',
  }),
  disabled: {
    heading: 'لا يمكنك تسجيل الدخول',
    description: 'حسابك هنا معطَّل.',
    advice: 'اطلب من الإدارة تفعيل حسابك.',
  },
  untrusted: (provider) => ({
    heading: `هناك خطأ في رد ${provider}`,
    description: `لا يمكن الوثوق برد ${provider}، ولذلك لم يُسجَّل دخولك.`,
    advice: `${startAgain} إذا تكرر ذلك، فأخبر الإدارة.`,
  }),
  unknownProvider: 'لا توجد خدمة تسجيل دخول بهذا الاسم.',
  toLogin: 'الانتقال إلى صفحة تسجيل الدخول',
} satisfies Texts
