import type { Texts } from './en.ts'

export const texts = {
  address: 'E-Mail-Adresse',
  send: 'E-Mail senden',
  wrongAddress: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel anna@example.com.',
  checkMail: 'Sehen Sie in Ihr Postfach',
  over: {
    title: 'Dieser Link funktioniert nicht mehr',
    lead: 'Er wurde schon verwendet oder ist abgelaufen. Ein Link funktioniert auch nicht mehr, wenn sich das Passwort oder die Adresse ändert.',
    toAccount: 'Zu Ihrem Konto',
  },
} satisfies Texts
