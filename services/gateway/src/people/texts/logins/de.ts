import type { Texts } from './en.ts'

export const texts = {
  link: 'Ihre Anmeldungen',
  heading: 'Ihre Anmeldungen',
  lead: 'Alle Versuche der letzten 30 Tage, sich bei Ihrem Konto anzumelden, die neuesten zuerst. Wenn Sie eine erfolgreiche Anmeldung nicht wiedererkennen, ändern Sie Ihr Passwort.',
  none: 'In den letzten 30 Tagen gab es keine.',
  older: 'Ältere Anmeldungen',
  newest: 'Neueste Anmeldungen',
  outcomes: {
    succeeded: 'Angemeldet',
    wrongPassword: 'Falsches Passwort',
    disabled: 'Ihr Konto war gesperrt',
    tooManyFailures: 'Abgewiesen nach zu vielen fehlgeschlagenen Anmeldungen',
    providerRefused: 'Beim Anbieter abgebrochen oder abgelehnt',
    providerFailed: 'Der Anbieter hat nicht wie erwartet geantwortet',
    wrongFactor: 'Falscher zweiter Faktor',
    tooManyCodes: 'Abgewiesen nach zu vielen falschen Codes',
    factorMissing: 'Kein zweiter Faktor angegeben',
    factorNotAsked: 'Abgewiesen: Diese App kann nicht nach Ihrem zweiten Faktor fragen',
    notFinished: 'Nicht rechtzeitig abgeschlossen',
    passkeyRefused: 'Passkey nicht angenommen',
    failed: 'Fehlgeschlagen',
  },
} satisfies Texts
