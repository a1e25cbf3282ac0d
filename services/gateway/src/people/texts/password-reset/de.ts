import type { Texts } from './en.ts'

export const texts = {
  title: 'Passwort zurücksetzen',
  lead: 'Wir senden eine E-Mail mit einem Link an die E-Mail-Adresse Ihres Kontos.',
  username: 'Benutzername oder E-Mail-Adresse',
  missing: 'Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein.',
  sent: 'Wenn es ein Konto mit diesem Namen oder dieser Adresse gibt, haben wir eine E-Mail an dessen E-Mail-Adresse gesendet. Öffnen Sie den Link darin, um ein neues Passwort zu wählen.',
  sentHint:
    'Der Link funktioniert eine Stunde lang. Wenn keine E-Mail kommt, sehen Sie im Spam-Ordner nach. Ein Konto, dessen Adresse nie bestätigt wurde, bekommt keine E-Mail: Wenden Sie sich an einen Administrator.',
  back: 'Zurück zur Anmeldung',
  off: 'Dieser Server sendet keine E-Mails. Bitten Sie einen Administrator um ein neues Passwort.',
  choose: 'Neues Passwort wählen',
  chooseLead: (user) =>
    `Es gilt für das Konto ${user}. Wenn Sie es speichern, werden Sie überall abgemeldet, und Apps verlieren ihren Zugriff.`,
  newPassword: 'Neues Passwort',
  submit: 'Passwort speichern',
  another: 'Neuen Link anfordern',
  done: 'Ihr Passwort ist geändert. Melden Sie sich mit dem neuen an.',
} satisfies Texts
