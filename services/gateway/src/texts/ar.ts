import { byMailAr } from './by-mail/ar.ts'
import type { Texts } from './en.ts'
import { factorsAr } from './factors/ar.ts'
import { loginsAr } from './logins/ar.ts'
import { ownAccountAr } from './own-account/ar.ts'
import { minutesIn, waitIn } from './time.ts'

const startAgain = 'عُد إلى صفحة تسجيل الدخول وابدأ من جديد.'
const appIsWrong = 'عُد إلى التطبيق وحاول مرة أخرى. إذا تكرر ذلك، فأخبر القائمين على التطبيق.'
const answeredOrOld = 'سبقت الإجابة عن هذه الصفحة أو أنها قديمة جدًا.'

/** The pages for people in Arabic. */
export const ar: Texts = {
  layout: {
    navigation: 'الحساب',
    administration: 'الإدارة',
    account: 'الحساب',
    logOut: 'تسجيل الخروج',
    about: 'حول هذا الخادم',
    terms: 'شروط الخدمة',
    privacy: 'الخصوصية',
    support: 'المساعدة',
  },
  passwords: { show: 'إظهار', hide: 'إخفاء' },
  login: {
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
    tooMany: (seconds) =>
      `محاولات تسجيل الدخول الفاشلة كثيرة جدًا. يُرجى المحاولة مرة أخرى ${minutesIn('ar', seconds)}.`,
  },
  consent: {
    title: (app) => `هل تسمح لـ ${app}؟`,
    heading: (app) => `يطلب ${app} الوصول إلى حسابك`,
    document: (host) => `هذا التطبيق غير مسجَّل هنا. يصفه ${host} وهو الذي اختار اسمه.`,
    unchecked: 'لم يتحقق أحد من هذا التطبيق.',
    anyProgram:
      'يعمل هذا التطبيق على جهازك، ويمكن لأي برنامج آخر عليه أن ينتحل هويته. لا تسمح بذلك إلا إذا كنت قد شغّلت التطبيق بنفسك للتو.',
    lead: (user, app) => `لقد سجّلت الدخول باسم ${user}. إذا سمحت بذلك، فسيتمكن ${app} مما يلي:`,
    destination: (destination) =>
      `ستعود بعد ذلك إلى ${destination}. لا تسمح بذلك إلا إذا كنت قد أتيت من هناك.`,
    allow: 'سماح',
    deny: 'رفض',
    withdraw: (link) => `يمكنك سحب هذا الوصول في أي وقت من ${link}.`,
    yourAccount: 'حسابك',
    aboutApp: (app) => `حول ${app}`,
    policy: 'سياسة الخصوصية',
    terms: 'شروط الخدمة',
    noDecision: 'لم يُحدَّد القرار: السماح أو الرفض.',
    over: `${answeredOrOld} إذا كان التطبيق لا يزال بحاجة إلى الوصول، فعُد إليه وابدأ من جديد.`,
    sessionOver: 'انتهت جلستك أثناء فتح هذه الصفحة، ولذلك لم يحصل التطبيق على حق الوصول.',
    appOfScheme: (scheme) => `التطبيق ${scheme}`,
  },
  scopes: {
    known: {
      read: 'قراءة بياناتك',
      write: 'تغيير بياناتك',
      profile: 'الاطلاع على اسمك وملفك الشخصي',
      email: 'الاطلاع على عنوان بريدك الإلكتروني',
      openid: 'التعرّف عليك عند تسجيل الدخول',
      offline_access: 'الاحتفاظ بالوصول أثناء غيابك',
    },
    other: (scope) => `استخدام «${scope}»`,
    ofServer: (server, words) => `${server}: ${words}`,
  },
  account: {
    heading: 'حسابك',
    loggedInAs: (user) => `لقد سجّلت الدخول باسم ${user}.`,
    administrator: (user) => `لقد سجّلت الدخول باسم ${user}، بصلاحيات الإدارة.`,
    details: 'بياناتك',
    noDetails: 'لا يُعرف عنك شيء سوى اسم المستخدم.',
    changeDetails: 'تغيير بياناتك',
    apps: 'التطبيقات التي لها حق الوصول إلى حسابك',
    since: (time) => `منذ ${time}`,
    withdraw: 'سحب',
    withdrawFrom: (app) => `سحب وصول ${app}`,
    withdrawHint: 'يتوقف التطبيق الذي تسحب وصوله عن العمل فورًا، إلى أن تستخدمه مرة أخرى لتسجيل الدخول.',
    noApps: 'لا يوجد. تظهر هنا التطبيقات التي تستخدمها بحسابك.',
    appsMissing: 'قد لا تظهر بعض التطبيقات في الوقت الحالي. تحقق مرة أخرى بعد دقيقة.',
    deletedApp: (clientId) => `${clientId} (محذوف)`,
    sessions: 'أماكن تسجيل دخولك',
    thisBrowser: 'هذا المتصفح',
    from: (address) => `من ${address}`,
    logOut: 'تسجيل الخروج',
    logOutHere: 'تسجيل الخروج هنا',
    logOutOf: (browser, since) => `تسجيل خروج ${browser}، منذ ${since}`,
    providers: 'طريقة تسجيل دخولك',
    as: (name) => `باسم ${name}`,
    done: {
      session: 'انتهت تلك الجلسة.',
      app: 'سُحب الوصول: لم تعد رموز التطبيق صالحة.',
      details: 'حُفظت بياناتك.',
      password: 'تغيّرت كلمة مرورك. انتهت جلساتك الأخرى، وفقدت التطبيقات حق الوصول.',
      'password-only': 'تغيّرت كلمة مرورك. تحتفظ جلساتك الأخرى وتطبيقاتك بحق الوصول.',
    },
  },
  password: {
    change: 'تغيير كلمة المرور',
    current: 'كلمة المرور الحالية',
    new: 'كلمة المرور الجديدة',
    rule: (least) => `الحد الأدنى لعدد الأحرف: ${least}.`,
    again: 'تكرار كلمة المرور الجديدة',
    keepAccess: 'البقاء مسجَّل الدخول في الأماكن الأخرى، وإبقاء وصول التطبيقات',
    keepAccessHint:
      'لا تحدّد هذا الخيار إذا كان من الممكن أن يعرف شخص آخر كلمة مرورك الحالية: عندئذٍ يُسجَّل خروجك من كل الأماكن الأخرى، ويفقد كل تطبيق حق الوصول.',
    submit: 'تغيير كلمة المرور',
    yours: 'كلمة مرورك',
    notNeeded: (providers) =>
      `لا تحتاج إلى كلمة مرور هنا: أنت تسجّل الدخول عبر ${providers}. إذا أردت كلمة مرور، فاطلبها من الإدارة.`,
    differ: 'كلمتا المرور الجديدتان غير متطابقتين. لم يتغير شيء.',
    wrong: 'كلمة المرور الحالية غير صحيحة. لم يتغير شيء.',
    unacceptable: () => 'كلمة المرور الجديدة هذه غير مقبولة. اختر كلمة أخرى.',
  },
  browser: {
    programOn: (device) => `برنامج على ${device}`,
    unknown: 'برنامج غير معروف',
    on: (browser, device) => `${browser} على ${device}`,
  },
  details: {
    heading: 'بياناتك',
    lead: 'تحصل التطبيقات التي تسمح لها بالاطلاع على ملفك الشخصي على هذه البيانات. ما تتركه فارغًا لا يظهر لأحد.',
    addressByAdministrators: 'لا يمكن تغيير عنوان بريدك الإلكتروني إلا من قِبل الإدارة.',
    save: 'حفظ',
    back: 'العودة إلى حسابك',
    yes: 'نعم',
    no: 'لا',
    choices: { yes: 'نعم', no: 'لا', none: 'غير محدد', leave: (now) => `إبقاء القيمة الحالية: ${now}` },
    faults: {
      text: (label, most) => `يجب أن يكون «${label}» نصًا مرئيًا طوله من 1 إلى ${most} حرف.`,
      picture: (label) => `يجب أن يكون «${label}» عنوان https من دون كلمة مرور.`,
      language: (label) => `يجب أن يكون «${label}» رمز لغة، مثل en أو de-CH.`,
      zone: (label) => `يجب أن يكون «${label}» منطقة زمنية، مثل Europe/Berlin.`,
    },
  },
  factors: factorsAr,
  logins: loginsAr,
  logout: {
    title: 'هل تريد تسجيل الخروج؟',
    heading: (brand) => `هل تريد تسجيل الخروج من ${brand}؟`,
    loggedInAs: (user) => `لقد سجّلت الدخول باسم ${user}.`,
    asked: (app) => `يطلب منك ${app} تسجيل الخروج.`,
    explanation: 'ينهي تسجيل الخروج جلستك في هذا المتصفح، وتُبلَّغ بذلك التطبيقات التي سجّلت الدخول إليها.',
    destination: (destination) => `ستنتقل بعد ذلك إلى ${destination}.`,
    submit: 'تسجيل الخروج',
    stay: 'البقاء مسجَّل الدخول',
    noDecision: 'لم يُحدَّد القرار.',
    over: `${answeredOrOld} افتح حسابك لتسجيل الخروج.`,
  },
  loggedOut: {
    heading: 'لقد سجّلت الخروج',
    lead: 'يمكنك إغلاق هذه الصفحة الآن.',
    continueTo: (destination) => `المتابعة إلى ${destination}`,
    again: 'تسجيل الدخول مرة أخرى',
  },
  social: {
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
  },
  error: {
    toAccount: 'الانتقال إلى حسابك',
    details: 'تفاصيل للمطورين',
    code: 'الخطأ',
    description: 'الوصف',
    trace: 'معرّف التتبع',
    otherSite: (ours) =>
      `لم يُرسَل هذا النموذج من صفحة تابعة لهذا الخادم. افتح ${ours} وحاول مرة أخرى من هناك.`,
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
        heading: 'لا يوجد شيء هنا',
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
  },
  byMail: byMailAr,
  ownAccount: ownAccountAr,
}
