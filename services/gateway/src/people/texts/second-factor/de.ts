import { waitIn } from '../time.ts'
import type { Texts } from './en.ts'

export const texts = {
  heading: 'Noch ein Schritt',
  loggingIn: (user) => `Sie melden sich als ${user} an.`,
  loggedIn: (user) => `Sie sind als ${user} angemeldet. Hierfür ist auch Ihr zweiter Faktor nötig.`,
  code: 'Code Ihrer Authentifizierungs-App',
  codeHint: 'Sechs Ziffern, die sich alle 30 Sekunden ändern.',
  submit: 'Weiter',
  recovery: 'Wiederherstellungscode verwenden',
  recoveryCode: 'Wiederherstellungscode',
  recoveryHint: (left) => `Verbleibende Codes: ${left}. Jeder gilt einmal.`,
  nothing:
    'Keiner Ihrer zweiten Faktoren funktioniert derzeit auf diesem Server. Bitten Sie jemanden aus der Verwaltung, sie zurückzusetzen.',
  somebodyElse: 'Mit einem anderen Konto anmelden',
  missing: 'Geben Sie den Code ein.',
  wrongCode:
    'Dieser Code ist falsch oder wurde schon verwendet. Warten Sie auf den nächsten und versuchen Sie es noch einmal.',
  wrongRecoveryCode: 'Dieser Wiederherstellungscode ist falsch oder wurde schon verwendet.',
  tooMany: (seconds) => `Zu viele falsche Codes. Versuchen Sie es ${waitIn('de', seconds)} erneut.`,
  ended:
    'Diese Anmeldung hat zu lange gedauert, oder es gab zu viele falsche Codes. Melden Sie sich noch einmal an.',
} satisfies Texts
