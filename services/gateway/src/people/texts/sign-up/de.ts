import type { Texts } from './en.ts'

export const texts = {
  title: 'Registrieren',
  heading: 'Konto anlegen',
  lead: 'Wir senden Ihnen eine E-Mail mit einem Link. Öffnen Sie ihn, um Benutzernamen und Passwort zu wählen.',
  haveAccount: 'Ich habe ein Konto: anmelden',
  sent: (address) =>
    `Wir haben eine E-Mail an ${address} gesendet. Öffnen Sie den Link darin, um Ihr Konto anzulegen.`,
  sentHint:
    'Der Link funktioniert eine Stunde lang. Wenn keine E-Mail kommt, sehen Sie im Spam-Ordner nach und prüfen Sie die Adresse.',
  anotherAddress: 'Andere Adresse eingeben',
  closed: 'Auf diesem Server kann man sich nicht registrieren. Bitten Sie einen Administrator um ein Konto.',
  confirmed: (address) => `Ihre Adresse ${address} ist bestätigt. Wählen Sie, wie Sie sich anmelden.`,
  username: 'Benutzername',
  usernameHint: 'Ihre Adresse oder ein anderer Name ohne Leerzeichen. Sie können sich mit beiden anmelden.',
  password: 'Passwort',
  submit: 'Konto anlegen',
  again: 'Erneut registrieren',
  logIn: 'Anmelden',
} satisfies Texts
