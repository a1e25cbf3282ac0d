import { declareTexts } from '../texts/language.ts'

export const mailTexts = declareTexts<{
  kind: string
  kinds: Readonly<Record<string, string>>
  recipient: string
  language: string
  attempts: string
  failure: string
  written: string
  ended: string
  states: Readonly<Record<'waiting' | 'sent' | 'failed', string>>
  none: string
  noneText: string
}>({
  en: {
    kind: 'Kind',
    kinds: {
      sign_up: 'Sign up',
      sign_up_known: 'Sign up with a known address',
      invitation: 'Invitation',
      password_reset: 'Reset the password',
      password_changed: 'Password changed',
      address: 'Confirm the address',
      address_changed: 'Address changed',
      new_login: 'New login',
      factor_added: 'Factor added',
      factor_removed: 'Factor removed',
      recovery_code_used: 'Recovery code used',
      account_deleted: 'Account deleted',
    },
    recipient: 'Recipient',
    language: 'Language',
    attempts: 'Attempts',
    failure: 'Last failure',
    written: 'Written',
    ended: 'Ended',
    states: { waiting: 'Waiting', sent: 'Sent', failed: 'Failed' },
    none: 'No mails',
    noneText: 'The user got no mail in the last 30 days.',
  },
  de: {
    kind: 'Art',
    kinds: {
      sign_up: 'Registrierung',
      sign_up_known: 'Registrierung mit bekannter Adresse',
      invitation: 'Einladung',
      password_reset: 'Passwort zurücksetzen',
      password_changed: 'Passwort geändert',
      address: 'Adresse bestätigen',
      address_changed: 'Adresse geändert',
      new_login: 'Neue Anmeldung',
      factor_added: 'Faktor hinzugefügt',
      factor_removed: 'Faktor entfernt',
      recovery_code_used: 'Wiederherstellungscode verwendet',
      account_deleted: 'Konto gelöscht',
    },
    recipient: 'Empfänger',
    language: 'Sprache',
    attempts: 'Versuche',
    failure: 'Letzter Fehler',
    written: 'Geschrieben',
    ended: 'Beendet',
    states: { waiting: 'Wartet', sent: 'Gesendet', failed: 'Fehlgeschlagen' },
    none: 'Keine Mails',
    noneText: 'Der Benutzer hat in den letzten 30 Tagen keine Mail bekommen.',
  },
  ar: {
    kind: 'النوع',
    kinds: {
      sign_up: 'تسجيل حساب',
      sign_up_known: 'تسجيل بعنوان معروف',
      invitation: 'دعوة',
      password_reset: 'إعادة تعيين كلمة المرور',
      password_changed: 'تغيّرت كلمة المرور',
      address: 'تأكيد العنوان',
      address_changed: 'تغيّر العنوان',
      new_login: 'تسجيل دخول جديد',
      factor_added: 'أُضيف عامل',
      factor_removed: 'أُزيل عامل',
      recovery_code_used: 'استُخدم رمز استرداد',
      account_deleted: 'حُذف الحساب',
    },
    recipient: 'المستلم',
    language: 'اللغة',
    attempts: 'المحاولات',
    failure: 'آخر خطأ',
    written: 'كُتبت',
    ended: 'انتهت',
    states: { waiting: 'قيد الانتظار', sent: 'أُرسلت', failed: 'فشلت' },
    none: 'لا توجد رسائل',
    noneText: 'لم تصل المستخدم أي رسالة خلال آخر 30 يومًا.',
  },
})
