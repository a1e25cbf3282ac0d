import { minutesIn } from '../time.ts'
import type { Texts } from './en.ts'

export const texts = {
  heading: 'Anmelden',
  toContinueTo: (app) => `weiter zu ${app}`,
  again: (user) => `Sie sind als ${user} angemeldet. Melden Sie sich noch einmal an, um fortzufahren.`,
  loggedIn: (user, link) =>
    `Sie sind als ${user} angemeldet. ${link}, oder melden Sie sich mit einem anderen Konto an.`,
  continue: 'Fortfahren',
  toAccount: 'Zu Ihrem Konto',
  username: 'Benutzername oder E-Mail-Adresse',
  password: 'Passwort',
  submit: 'Anmelden',
  providers: 'Oder anmelden mit',
  missing: 'Geben Sie Ihren Benutzernamen und Ihr Passwort ein.',
  wrong: 'Der Benutzername oder das Passwort ist falsch. Prüfen Sie beides und versuchen Sie es noch einmal.',
  tooMany: (seconds) =>
    `Zu viele fehlgeschlagene Anmeldungen. Versuchen Sie es ${minutesIn('de', seconds)} erneut.`,
  forgot: 'Passwort vergessen?',
  signUp: 'Konto anlegen',
} satisfies Texts
