import { waitIn } from '../time.ts'
import type { Texts } from './en.ts'

const appIsWrong = 'عُد إلى التطبيق وحاول مرة أخرى. إذا تكرر ذلك، فأخبر القائمين على التطبيق.'

export const texts = {
  toAccount: 'الانتقال إلى حسابك',
  toDocumentation: 'الوثائق: معنى كل خطأ (بالإنجليزية)',
  details: 'تفاصيل للمطورين',
  code: 'الخطأ',
  description: 'الوصف',
  trace: 'معرّف التتبع',
  otherSite: (ours) => `لم يُرسَل هذا النموذج من صفحة تابعة لهذا الخادم. افتح ${ours} وحاول مرة أخرى من هناك.`,
  wait: (seconds) => `يمكنك المحاولة مرة أخرى ${waitIn('ar', seconds)}.`,
  other: { heading: 'لا يمكن تنفيذ ذلك', advice: appIsWrong },
  byCode: {
    invalid_request: { heading: 'لا يمكن تنفيذ هذا الطلب', advice: appIsWrong },
    invalid_client: { heading: 'هذا التطبيق غير معروف هنا', advice: appIsWrong },
    access_denied: {
      heading: 'لا يُسمح لك بذلك',
      advice: 'إذا كنت ترى أنه ينبغي السماح لك، فاسأل الإدارة.',
    },
    login_required: {
      heading: 'انتهت جلستك',
      advice: 'عُد إلى حيث كنت وابدأ من جديد: سيُطلب منك تسجيل الدخول.',
    },
    not_found: {
      heading: 'الصفحة غير موجودة',
      advice: 'تحقق من العنوان. إذا أوصلك رابط إلى هنا، فهو قديم.',
    },
    method_not_allowed: { heading: 'هذه الصفحة غير موجودة', advice: 'عُد إلى حيث كنت وابدأ من جديد.' },
    rate_limit_exceeded: {
      heading: 'الطلبات كثيرة جدًا',
      advice: 'انتظر لحظة، ثم أعد تحميل الصفحة.',
    },
    temporarily_unavailable: {
      heading: 'لحظة من فضلك',
      advice: 'الخادم مشغول أو قيد التشغيل. أعد تحميل الصفحة بعد بضع ثوانٍ.',
    },
    server_error: {
      heading: 'حدث خطأ ما',
      advice: 'هذا ليس خطأك. حاول مرة أخرى؛ وإذا تكرر ذلك، فأخبر الإدارة.',
    },
  },
} satisfies Texts
