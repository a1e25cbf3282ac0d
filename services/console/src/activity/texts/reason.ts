import providers from 'virtual:providers'
import type { paths } from '@gatehouse/admin-api/generated/openapi'
import { declareTexts } from '../../texts/language.ts'

/** Why logins fail and how people log in, by the codes of the API. */
export const loginTexts = declareTexts<{
  failures: Readonly<Record<string, string>>
  methods: Readonly<Record<string, string>>
}>({
  en: {
    failures: {
      unknown_user: 'No such user',
      wrong_password: 'Wrong password',
      user_disabled: 'User disabled',
      too_many_failures: 'Too many failed logins',
      denied: 'Cancelled at the provider',
      unreachable: 'Provider did not answer',
      bad_answer: 'Invalid answer from the provider',
      unknown_login: 'Expired or from another browser',
      wrong_second_factor: 'Wrong second factor',
      too_many_codes: 'Too many wrong codes',
      second_factor_missing: 'No second factor given',
      second_factor_required: 'Needs a second factor',
      login_expired: 'Expired, or the user was changed',
      unknown_passkey: 'Unknown passkey',
      invalid_passkey: 'Invalid passkey',
      passkey_counter: 'Passkey perhaps copied',
    },
    methods: {
      password: 'Password',
      password_grant: 'Password grant',
      passkey: 'Passkey',
      ...providers,
    },
  },
  de: {
    failures: {
      unknown_user: 'Kein solcher Benutzer',
      wrong_password: 'Falsches Passwort',
      user_disabled: 'Benutzer deaktiviert',
      too_many_failures: 'Zu viele fehlgeschlagene Anmeldungen',
      denied: 'Beim Anbieter abgebrochen',
      unreachable: 'Anbieter antwortet nicht',
      bad_answer: 'Ungültige Antwort des Anbieters',
      unknown_login: 'Abgelaufen oder aus einem anderen Browser',
      wrong_second_factor: 'Falscher zweiter Faktor',
      too_many_codes: 'Zu viele falsche Codes',
      second_factor_missing: 'Kein zweiter Faktor angegeben',
      second_factor_required: 'Braucht einen zweiten Faktor',
      login_expired: 'Abgelaufen, oder der Benutzer wurde geändert',
      unknown_passkey: 'Unbekannter Passkey',
      invalid_passkey: 'Ungültiger Passkey',
      passkey_counter: 'Passkey vielleicht kopiert',
    },
    methods: {
      password: 'Passwort',
      password_grant: 'Passwort-Grant',
      passkey: 'Passkey',
      ...providers,
    },
  },
  ar: {
    failures: {
      unknown_user: 'لا يوجد مستخدم بهذا الاسم',
      wrong_password: 'كلمة مرور خاطئة',
      user_disabled: 'المستخدم معطّل',
      too_many_failures: 'محاولات فاشلة كثيرة',
      denied: 'أُلغي لدى مزوّد الخدمة',
      unreachable: 'لم يُجب مزوّد الخدمة',
      bad_answer: 'إجابة غير صالحة من مزوّد الخدمة',
      unknown_login: 'انتهت صلاحيته أو من متصفح آخر',
      wrong_second_factor: 'عامل ثانٍ خاطئ',
      too_many_codes: 'رموز خاطئة كثيرة',
      second_factor_missing: 'لم يُقدَّم العامل الثاني',
      second_factor_required: 'يتطلب عاملاً ثانيًا',
      login_expired: 'انتهت صلاحيته أو تغيّر المستخدم',
      unknown_passkey: 'مفتاح مرور غير معروف',
      invalid_passkey: 'مفتاح مرور غير صالح',
      passkey_counter: 'ربما نُسخ مفتاح المرور',
    },
    methods: {
      password: 'كلمة مرور',
      password_grant: 'منحة كلمة المرور',
      passkey: 'مفتاح مرور',
      ...providers,
    },
  },
})

type FailuresQuery = paths['/admin/api/client-authentication-failures']['get']['parameters']['query']
type FailureReason = NonNullable<NonNullable<FailuresQuery>['reason']>

/** Why clients do not authenticate, and where, by the codes of the API. */
export const clientFailureTexts = declareTexts<{
  reasons: Readonly<Record<FailureReason, string>>
  endpoints: Readonly<Record<string, string>>
}>({
  en: {
    reasons: {
      wrong_secret: 'Wrong secret',
      expired_secret: 'Replaced secret, no longer valid',
      no_secret: 'No secret sent',
      no_assertion: 'Not signed with a key',
      wrong_assertion: 'Wrong key, or not signed for this server',
      expired_assertion: 'Signed too long ago, or for too long',
      replayed_assertion: 'The same assertion again',
      keys_unreachable: 'Its keys could not be read',
      method_off: 'Its method is switched off',
      no_certificate: 'No certificate shown',
      wrong_certificate: 'Certificate of somebody else',
      expired_certificate: 'Certificate expired or not valid yet',
      untrusted_certificate: 'Certificate of no trusted authority',
      public_client: 'Public client, which has no secret',
      disabled: 'Client disabled',
    },
    endpoints: { token: 'Token', introspection: 'Introspection', revocation: 'Revocation' },
  },
  de: {
    reasons: {
      wrong_secret: 'Falsches Secret',
      expired_secret: 'Ersetztes Secret, nicht mehr gültig',
      no_secret: 'Kein Secret gesendet',
      no_assertion: 'Nicht mit einem Schlüssel signiert',
      wrong_assertion: 'Falscher Schlüssel, oder nicht für diesen Server signiert',
      expired_assertion: 'Vor zu langer Zeit oder für zu lange signiert',
      replayed_assertion: 'Dieselbe Assertion noch einmal',
      keys_unreachable: 'Seine Schlüssel waren nicht zu lesen',
      method_off: 'Seine Methode ist ausgeschaltet',
      no_certificate: 'Kein Zertifikat gezeigt',
      wrong_certificate: 'Fremdes Zertifikat',
      expired_certificate: 'Zertifikat abgelaufen oder noch nicht gültig',
      untrusted_certificate: 'Zertifikat keiner vertrauten Stelle',
      public_client: 'Öffentlicher Client, der kein Secret hat',
      disabled: 'Client deaktiviert',
    },
    endpoints: { token: 'Token', introspection: 'Introspection', revocation: 'Widerruf' },
  },
  ar: {
    reasons: {
      wrong_secret: 'سر خاطئ',
      expired_secret: 'سر مستبدَل لم يعد صالحًا',
      no_secret: 'لم يُرسل سر',
      no_assertion: 'غير موقّع بمفتاح',
      wrong_assertion: 'مفتاح خاطئ، أو غير موقّع لهذا الخادم',
      expired_assertion: 'موقّع منذ وقت طويل، أو لمدة طويلة',
      replayed_assertion: 'التأكيد نفسه مرة أخرى',
      keys_unreachable: 'تعذّرت قراءة مفاتيحه',
      method_off: 'طريقته غير مفعّلة',
      no_certificate: 'لم تُعرض شهادة',
      wrong_certificate: 'شهادة جهة أخرى',
      expired_certificate: 'شهادة منتهية أو لم تسرِ بعد',
      untrusted_certificate: 'شهادة من جهة غير موثوقة',
      public_client: 'عميل عام ليس له سر',
      disabled: 'العميل معطّل',
    },
    endpoints: { token: 'الرموز', introspection: 'الفحص', revocation: 'الإلغاء' },
  },
})
