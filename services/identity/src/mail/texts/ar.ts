import type { MailTexts } from './mail-texts.ts'

const onceInAnHour = 'يعمل الرابط مرة واحدة، خلال ساعة واحدة.'
const nothingHappens = 'إذا لم تطلب ذلك، فتجاهل هذه الرسالة. لن يحدث شيء بدون الرابط.'

/** The mails in Arabic. */
export const ar: MailTexts = {
  greeting: (username) => (username === undefined ? 'مرحبًا،' : `مرحبًا ${username}،`),
  orOpen: 'أو افتح هذا العنوان في متصفحك:',
  reason: (brand) => `أرسل ${brand} هذه الرسالة لأن هذا العنوان استُخدم هناك.`,
  terms: 'شروط الاستخدام',
  privacy: 'الخصوصية',
  support: 'المساعدة',
  kinds: {
    sign_up: ({ brand }) => ({
      subject: `أكمل التسجيل في ${brand}`,
      lines: [`اختر اسم مستخدم وكلمة مرور لإنشاء حسابك في ${brand}.`],
      button: 'إنشاء الحساب',
      after: [onceInAnHour, nothingHappens],
    }),
    sign_up_known: ({ brand, username }) => ({
      subject: `لديك حساب بالفعل في ${brand}`,
      lines: [
        `أراد أحدهم، وربما أنت، التسجيل في ${brand} بهذا العنوان. وهو يخص الحساب ${username}: سجّل الدخول بهذا الاسم أو بهذا العنوان.`,
        'إذا لم تعد تتذكر كلمة المرور، فيمكنك إعادة تعيينها.',
      ],
      button: 'إعادة تعيين كلمة المرور',
      after: ['إذا لم تكن أنت، فتجاهل هذه الرسالة. لم يتغير شيء.'],
    }),
    invitation: ({ brand }) => ({
      subject: `دعوة إلى ${brand}`,
      lines: [`دعاك أحد المسؤولين إلى إنشاء حساب في ${brand}.`],
      button: 'إنشاء الحساب',
      after: ['يعمل الرابط مرة واحدة، خلال سبعة أيام.', 'إذا كنت لا تريد حسابًا، فتجاهل هذه الرسالة.'],
    }),
    password_reset: ({ brand, username }) => ({
      subject: `إعادة تعيين كلمة مرورك في ${brand}`,
      lines: [`طلب أحدهم، وربما أنت، إعادة تعيين كلمة مرور ${username} في ${brand}.`],
      button: 'اختيار كلمة مرور جديدة',
      after: [onceInAnHour, 'إذا لم تكن أنت، فتجاهل هذه الرسالة. تبقى كلمة مرورك كما هي.'],
    }),
    password_changed: ({ brand, username, time }) => ({
      subject: `تم تغيير كلمة مرورك في ${brand}`,
      lines: [`تم تغيير كلمة مرور ${username} في ${brand}: ${time}.`],
      button: 'لم أكن أنا: إعادة تعيين كلمة المرور',
      after: ['إذا كنت أنت، فلا يلزمك فعل شيء.'],
    }),
    address: ({ brand, username }) => ({
      subject: `أكّد عنوان بريدك الإلكتروني في ${brand}`,
      lines: [`أكّد أن هذا العنوان يخص ${username} في ${brand}.`],
      button: 'تأكيد العنوان',
      after: [onceInAnHour, nothingHappens],
    }),
    address_changed: ({ brand, username, address, time }) => ({
      subject: `تم تغيير عنوان بريدك الإلكتروني في ${brand}`,
      lines: [
        `تم تغيير عنوان البريد الإلكتروني للحساب ${username} في ${brand}: ${time}. العنوان الجديد هو ${address}، ولن تُرسل رسائل إلى هذا العنوان بعد الآن.`,
      ],
      after: ['إذا لم تكن أنت، فأبلغ القائمين على هذا الخادم فورًا.'],
    }),
    new_login: ({ brand, username, browser, ipAddress, time }) => ({
      subject: `تسجيل دخول جديد إلى حسابك في ${brand}`,
      lines: [`سجّل ${username} الدخول بمتصفح لم يُستخدم من قبل.`],
      facts: [
        ['المتصفح', browser],
        ['عنوان IP', ipAddress],
        ['الوقت', time],
      ],
      button: 'عرض حسابك',
      after: ['إذا كنت أنت، فلا يلزمك فعل شيء. وإذا لم تكن أنت، فغيّر كلمة مرورك وأنهِ الجلسة في صفحة حسابك.'],
    }),
    factor_added: ({ brand, username, time }) => ({
      subject: `أُضيفت طريقة لتسجيل الدخول إلى حسابك في ${brand}`,
      lines: [`أُضيف مفتاح مرور أو تطبيق مصادقة إلى الحساب ${username} في ${brand}: ${time}.`],
      button: 'عرض حسابك',
      after: [
        'إذا كنت أنت، فلا يلزمك فعل شيء. وإذا لم تكن أنت، فغيّر كلمة مرورك فورًا وتحقق من طرق تسجيل الدخول في صفحة حسابك.',
      ],
    }),
    factor_removed: ({ brand, username, time }) => ({
      subject: `أُزيلت طريقة لتسجيل الدخول من حسابك في ${brand}`,
      lines: [`أُزيل مفتاح مرور أو تطبيق مصادقة من الحساب ${username} في ${brand}: ${time}.`],
      button: 'عرض حسابك',
      after: [
        'إذا كنت أنت، فلا يلزمك فعل شيء. وإذا لم تكن أنت، فغيّر كلمة مرورك فورًا وتحقق من طرق تسجيل الدخول في صفحة حسابك.',
      ],
    }),
    account_connected: ({ brand, username, connection, time }) => ({
      subject: `أُضيفت طريقة لتسجيل الدخول إلى حسابك في ${brand}`,
      lines: [`رُبط حساب لدى ${connection} بالحساب ${username} في ${brand}: ${time}.`],
      button: 'عرض الحسابات المرتبطة',
      after: ['إذا كنت أنت، فلا يلزمك فعل شيء. وإذا لم تكن أنت، فافصله فورًا وغيّر كلمة مرورك.'],
    }),
    recovery_code_used: ({ brand, username, time }) => ({
      subject: `استُخدم رمز استرداد لحسابك في ${brand}`,
      lines: [
        `سجّل أحدهم الدخول إلى الحساب ${username} في ${brand} برمز استرداد: ${time}. لم يعد هذا الرمز يعمل.`,
      ],
      button: 'عرض حسابك',
      after: [
        'إذا كنت أنت، فلا يلزمك فعل شيء. وإذا لم تكن أنت، فغيّر كلمة مرورك فورًا وتحقق من طرق تسجيل الدخول في صفحة حسابك.',
      ],
    }),
    account_deleted: ({ brand, username, time }) => ({
      subject: `تم حذف حسابك في ${brand}`,
      lines: [
        `تم حذف الحساب ${username} في ${brand} بناءً على طلبك: ${time}.`,
        'تم تسجيل خروجك من كل مكان، ولم يعد للتطبيقات أي وصول، وحُذف ما كان محفوظًا عنك.',
      ],
      after: ['إذا لم تكن أنت، فأبلغ القائمين على هذا الخادم فورًا.'],
    }),
    organization_invitation: ({ brand, organization, inviter }) => ({
      subject: `دعوة إلى مؤسسة في ${brand}`,
      lines: [`أنت مدعو إلى الانضمام إلى مؤسسة في ${brand}.`],
      facts: [
        ['المؤسسة', organization],
        ['صاحب الدعوة', inviter],
      ],
      button: 'عرض الدعوة',
      after: ['يعمل الرابط مرة واحدة، خلال سبعة أيام.', 'إذا كنت لا تريد الانضمام، فتجاهل هذه الرسالة.'],
    }),
    domain_missing: ({ brand, organization, domain, time }) => ({
      subject: `سجل DNS الخاص بنطاقك مفقود في ${brand}`,
      lines: [
        `سجل DNS الذي يثبت نطاقًا لمؤسستك في ${brand} مفقود.`,
        `إذا لم يعد السجل قبل هذا الموعد، فستفقد المؤسسة النطاق: ${time}.`,
      ],
      facts: [
        ['المؤسسة', organization],
        ['النطاق', domain],
      ],
      button: 'عرض مؤسساتك',
      after: [],
    }),
    domain_lost: ({ brand, organization, domain }) => ({
      subject: `فقدت مؤسستك نطاقًا في ${brand}`,
      lines: [`سجل DNS الذي يثبت نطاقًا لمؤسستك في ${brand} مفقود منذ سبعة أيام، ولذلك فقدت المؤسسة النطاق.`],
      facts: [
        ['المؤسسة', organization],
        ['النطاق', domain],
      ],
      button: 'عرض مؤسساتك',
      after: ['لاستعادته، أضف السجل من جديد وتحقق من النطاق في صفحة المؤسسة.'],
    }),
  },
}
