import { declareTexts } from '../../texts/language.ts'

/** A problem that keeps a user from logging in, and its remedy. */
type Problem = readonly [explanation: string, remedy: string]

/** The words for login problems, by the codes of the API. */
export const problemTexts = declareTexts<Readonly<Record<string, Problem>>>({
  en: {
    disabled: ['The user is disabled.', 'Enable the user.'],
    no_credentials: [
      'The user has nothing to log in with: no password, no passkey that works here, and no linked account.',
      'Give the user a password, or send a mail to choose one.',
    ],
    second_factor_unusable: [
      'A login needs a second factor, and this server cannot check any that the user has, because its configuration has changed.',
      'Restore OAUTH2_FACTOR_KEY, or remove the second factors.',
    ],
    no_password: [
      'The user has no password. They log in with a passkey or through a linked account.',
      'Nothing needs to be done, unless they want a password.',
    ],
    second_factor_missing: [
      'Two factors are required, and the user has no second one. The next login asks for one; the password grant refuses them.',
      'Ask the user to log in in a browser and to add one.',
    ],
    email_unverified: [
      'The e-mail address is not confirmed. The user can log in with the user name only, and gets no mail to reset the password.',
      'Send a mail to confirm the address, or mark it as confirmed.',
    ],
    email_shared: [
      'Another user has the same e-mail address, so neither of them can log in with it.',
      'Ask the user to log in with the user name, or change one of the addresses.',
    ],
    too_many_failures: [
      'Too many logins failed with a wrong password, so passwords are not checked for now.',
      'Unlock the user, or wait until then. Another network may work, or a browser in which the user has logged in before, or a passkey.',
    ],
    too_many_codes: [
      'Too many wrong codes of the second factor were entered, so codes are not checked for now.',
      'Wait until then. Another second factor works meanwhile. If the user has lost it, remove it.',
    ],
  },
  de: {
    disabled: ['Der Benutzer ist deaktiviert.', 'Aktivieren Sie den Benutzer.'],
    no_credentials: [
      'Der Benutzer hat nichts zum Anmelden: kein Passwort, keinen Passkey, der hier funktioniert, und kein verknüpftes Konto.',
      'Geben Sie dem Benutzer ein Passwort, oder senden Sie eine Mail, um eines zu wählen.',
    ],
    second_factor_unusable: [
      'Die Anmeldung braucht einen zweiten Faktor, und dieser Server kann keinen davon prüfen, weil sich seine Konfiguration geändert hat.',
      'Stellen Sie OAUTH2_FACTOR_KEY wieder her, oder entfernen Sie die zweiten Faktoren.',
    ],
    no_password: [
      'Der Benutzer hat kein Passwort. Die Anmeldung geht mit einem Passkey oder über ein verknüpftes Konto.',
      'Es ist nichts zu tun, es sei denn, der Benutzer möchte ein Passwort.',
    ],
    second_factor_missing: [
      'Zwei Faktoren sind verlangt, und der Benutzer hat keinen zweiten. Die nächste Anmeldung fragt danach; der Passwort-Grant lehnt ab.',
      'Bitten Sie den Benutzer, sich in einem Browser anzumelden und einen hinzuzufügen.',
    ],
    email_unverified: [
      'Die E-Mail-Adresse ist nicht bestätigt. Der Benutzer kann sich nur mit dem Benutzernamen anmelden und bekommt keine Mail zum Zurücksetzen des Passworts.',
      'Senden Sie eine Mail zur Bestätigung der Adresse, oder markieren Sie sie als bestätigt.',
    ],
    email_shared: [
      'Ein anderer Benutzer hat dieselbe E-Mail-Adresse. Keiner von beiden kann sich damit anmelden.',
      'Bitten Sie den Benutzer, sich mit dem Benutzernamen anzumelden, oder ändern Sie eine der Adressen.',
    ],
    too_many_failures: [
      'Zu viele Anmeldungen mit falschem Passwort sind fehlgeschlagen. Passwörter werden vorerst nicht geprüft.',
      'Entsperren Sie den Benutzer, oder warten Sie so lange. Ein anderes Netzwerk kann helfen, ein Browser, in dem sich der Benutzer schon angemeldet hat, oder ein Passkey.',
    ],
    too_many_codes: [
      'Zu viele falsche Codes des zweiten Faktors wurden eingegeben. Codes werden vorerst nicht geprüft.',
      'Warten Sie so lange. Ein anderer zweiter Faktor geht weiterhin. Ist er verloren, entfernen Sie ihn.',
    ],
  },
  ar: {
    disabled: ['المستخدم معطّل.', 'فعّل المستخدم.'],
    no_credentials: [
      'ليس لدى المستخدم ما يسجّل به الدخول: لا كلمة مرور، ولا مفتاح مرور يعمل هنا، ولا حساب مرتبط.',
      'امنح المستخدم كلمة مرور، أو أرسل رسالة لاختيار واحدة.',
    ],
    second_factor_unusable: [
      'يتطلب تسجيل الدخول عاملاً ثانيًا، ولا يستطيع هذا الخادم التحقق من أي عامل لدى المستخدم لأن إعداداته تغيّرت.',
      'استعد OAUTH2_FACTOR_KEY، أو أزل العوامل الثانية.',
    ],
    no_password: [
      'ليس لدى المستخدم كلمة مرور. يسجّل الدخول بمفتاح مرور أو عبر حساب مرتبط.',
      'لا يلزم شيء، إلا إذا أراد كلمة مرور.',
    ],
    second_factor_missing: [
      'يُطلب عاملان، وليس لدى المستخدم عامل ثانٍ. سيُطلب منه عند تسجيل الدخول التالي؛ وترفضه منحة كلمة المرور.',
      'اطلب من المستخدم تسجيل الدخول في متصفح وإضافة عامل.',
    ],
    email_unverified: [
      'البريد الإلكتروني غير مؤكد. لا يمكن للمستخدم تسجيل الدخول إلا باسم المستخدم، ولا تصله رسالة لإعادة تعيين كلمة المرور.',
      'أرسل رسالة لتأكيد العنوان، أو علّمه كمؤكد.',
    ],
    email_shared: [
      'لدى مستخدم آخر البريد الإلكتروني نفسه، فلا يمكن لأي منهما تسجيل الدخول به.',
      'اطلب من المستخدم تسجيل الدخول باسم المستخدم، أو غيّر أحد العنوانين.',
    ],
    too_many_failures: [
      'فشلت محاولات كثيرة بكلمة مرور خاطئة، فلا تُفحص كلمات المرور حاليًا.',
      'ألغِ حظر المستخدم، أو انتظر حتى ذلك الوقت. قد تنجح شبكة أخرى، أو متصفح سبق للمستخدم تسجيل الدخول فيه، أو مفتاح مرور.',
    ],
    too_many_codes: [
      'أُدخلت رموز خاطئة كثيرة للعامل الثاني، فلا تُفحص الرموز حاليًا.',
      'انتظر حتى ذلك الوقت. يعمل عامل ثانٍ آخر في هذه الأثناء. إذا فُقد فأزله.',
    ],
  },
})

export const loginTexts = declareTexts({
  en: {
    headings: {
      can: (name: string) => `Login check: ${name} can log in.`,
      cannot: (name: string) => `Login check: ${name} cannot log in.`,
      hindered: (name: string) => `Login check: ${name}`,
    },
    blocked: {
      too_many_failures: (time: string) => `Passwords are blocked for ${time}.`,
      too_many_codes: (time: string) => `Codes of the second factor are blocked for ${time}.`,
      from: (addresses: number, time: string) =>
        `Passwords are blocked from ${addresses === 1 ? 'one address' : `${addresses} addresses`} for ${time}.`,
    },
    unlock: 'Unlock',
    unlocked: (name: string) => `${name} can try passwords again.`,
    only: 'Only from',
    until: 'Ends',
    verify: 'Mark as confirmed',
    verified: (address: string) => `${address} is confirmed.`,
    toAddress: 'Change the address',
    removeFactors: 'Remove second factors',
    lastFailures: 'Last failed logins',
    noFailures: 'No login failed in the last 30 days.',
    ago: 'Time',
    reason: 'Reason',
    method: 'Method',
    client: 'Client',
    address: 'IP address',
    browser: 'Browser',
    allLogins: 'All logins of the user',
    since: 'From',
  },
  de: {
    headings: {
      can: (name) => `Anmeldeprüfung: ${name} kann sich anmelden.`,
      cannot: (name) => `Anmeldeprüfung: ${name} kann sich nicht anmelden.`,
      hindered: (name) => `Anmeldeprüfung: ${name}`,
    },
    blocked: {
      too_many_failures: (time) => `Passwörter sind noch ${time} lang gesperrt.`,
      too_many_codes: (time) => `Codes des zweiten Faktors sind noch ${time} lang gesperrt.`,
      from: (addresses, time) =>
        `Passwörter sind von ${addresses === 1 ? 'einer Adresse' : `${addresses} Adressen`} aus noch ${time} lang gesperrt.`,
    },
    unlock: 'Entsperren',
    unlocked: (name) => `${name} kann wieder Passwörter eingeben.`,
    only: 'Nur von',
    until: 'Endet',
    verify: 'Als bestätigt markieren',
    verified: (address) => `${address} ist bestätigt.`,
    toAddress: 'Adresse ändern',
    removeFactors: 'Zweite Faktoren entfernen',
    lastFailures: 'Letzte fehlgeschlagene Anmeldungen',
    noFailures: 'In den letzten 30 Tagen ist keine Anmeldung fehlgeschlagen.',
    ago: 'Zeit',
    reason: 'Grund',
    method: 'Methode',
    client: 'Client',
    address: 'IP-Adresse',
    browser: 'Browser',
    allLogins: 'Alle Anmeldungen des Benutzers',
    since: 'Von',
  },
  ar: {
    headings: {
      can: (name) => `فحص تسجيل الدخول: يمكن لـ ${name} تسجيل الدخول.`,
      cannot: (name) => `فحص تسجيل الدخول: لا يمكن لـ ${name} تسجيل الدخول.`,
      hindered: (name) => `فحص تسجيل الدخول: ${name}`,
    },
    blocked: {
      too_many_failures: (time) => `كلمات المرور محظورة لمدة ${time}.`,
      too_many_codes: (time) => `رموز العامل الثاني محظورة لمدة ${time}.`,
      from: (addresses, time) =>
        `كلمات المرور محظورة من ${addresses === 1 ? 'عنوان واحد' : `${addresses} من العناوين`} لمدة ${time}.`,
    },
    unlock: 'إلغاء الحظر',
    unlocked: (name) => `يمكن لـ ${name} تجربة كلمات المرور من جديد.`,
    only: 'من هذا العنوان فقط',
    until: 'ينتهي',
    verify: 'تعليم كمؤكد',
    verified: (address) => `تم تأكيد ${address}.`,
    toAddress: 'تغيير العنوان',
    removeFactors: 'إزالة العوامل الثانية',
    lastFailures: 'آخر محاولات الدخول الفاشلة',
    noFailures: 'لم تفشل أي محاولة دخول خلال آخر 30 يومًا.',
    ago: 'الوقت',
    reason: 'السبب',
    method: 'الطريقة',
    client: 'العميل',
    address: 'عنوان IP',
    browser: 'المتصفح',
    allLogins: 'كل عمليات دخول المستخدم',
    since: 'من',
  },
})
