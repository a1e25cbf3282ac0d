import type { Texts } from './en.ts'

export const texts = {
  title: (app) => `${app} Zugriff erlauben?`,
  heading: (app) => `${app} möchte auf Ihr Konto zugreifen`,
  document: (host) =>
    `Diese App ist hier nicht registriert. ${host} beschreibt sie und hat ihren Namen gewählt.`,
  selfRegistered: 'Niemand hat diese App geprüft.',
  anyProgram:
    'Diese App läuft auf Ihrem eigenen Gerät, und jedes andere Programm dort kann sich als sie ausgeben. Erlauben Sie dies nur, wenn Sie die App gerade selbst gestartet haben.',
  lead: (user, app) => `Sie sind als ${user} angemeldet. Wenn Sie es erlauben, kann ${app}:`,
  destination: (destination) =>
    `Danach kehren Sie zurück zu ${destination}. Erlauben Sie dies nur, wenn Sie von dort gekommen sind.`,
  allow: 'Erlauben',
  deny: 'Ablehnen',
  withdraw: (link) => `Sie können diesen Zugriff jederzeit in ${link} widerrufen.`,
  yourAccount: 'Ihrem Konto',
  aboutApp: (app) => `Über ${app}`,
  policy: 'Datenschutzerklärung',
  terms: 'Nutzungsbedingungen',
  noDecision: 'Die Entscheidung fehlt: erlauben oder ablehnen.',
  over: 'Diese Seite wurde schon beantwortet oder ist zu alt. Wenn die App noch Zugriff braucht, gehen Sie zu ihr zurück und beginnen Sie von vorn.',
  sessionOver:
    'Ihre Sitzung endete, während diese Seite offen war. Die App hat deshalb keinen Zugriff bekommen.',
  appOfScheme: (scheme) => `der App ${scheme}`,
  scopes: {
    known: {
      read: 'Ihre Daten lesen',
      write: 'Ihre Daten ändern',
      profile: 'Ihren Namen und Ihr Profil sehen',
      email: 'Ihre E-Mail-Adresse sehen',
      openid: 'Sie wiedererkennen, wenn Sie sich anmelden',
      offline_access: 'Den Zugriff behalten, während Sie nicht da sind',
    },
    ofOrganizations: {
      organization: 'Den Namen der Organisation sehen',
      groups: 'Sehen, in welchen Gruppen Sie sind',
      roles: 'Sehen, welche Rollen Sie haben',
    },
    other: (scope) => `„${scope}“ verwenden`,
    ofServer: (server, words) => `${server}: ${words}`,
  },
  laterScopes: {
    email: 'Ihre E-Mail-Adresse sehen, sobald Sie hier eine haben',
    profile: 'Ihren Benutzernamen sehen, und Ihr Profil, sobald Sie es ausfüllen',
  },
} satisfies Texts
