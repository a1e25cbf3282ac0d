import type { Texts } from './en.ts'

export const texts = {
  link: 'عمليات تسجيل دخولك',
  heading: 'عمليات تسجيل دخولك',
  lead: 'جميع محاولات تسجيل الدخول إلى حسابك خلال آخر 30 يومًا، الأحدث أولًا. إذا لم تتعرّف على محاولة ناجحة، فغيّر كلمة المرور.',
  none: 'لم تكن هناك أي محاولة خلال آخر 30 يومًا.',
  older: 'عمليات أقدم',
  newest: 'أحدث العمليات',
  outcomes: {
    succeeded: 'تم تسجيل الدخول',
    wrongPassword: 'كلمة مرور خاطئة',
    disabled: 'كان حسابك معطّلًا',
    tooManyFailures: 'رُفضت بعد محاولات فاشلة كثيرة',
    providerRefused: 'أُلغيت أو رُفضت لدى مزوّد الخدمة',
    providerFailed: 'لم يُجب مزوّد الخدمة كما هو متوقع',
    wrongFactor: 'عامل ثانٍ خاطئ',
    tooManyCodes: 'رُفضت بعد رموز خاطئة كثيرة',
    factorMissing: 'لم يُقدَّم العامل الثاني',
    factorNotAsked: 'رُفضت: لا يستطيع هذا التطبيق طلب عاملك الثاني',
    notFinished: 'لم تكتمل في الوقت المحدد',
    passkeyRefused: 'لم يُقبل مفتاح المرور',
    failed: 'فشلت',
  },
} satisfies Texts
