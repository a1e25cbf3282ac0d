import type { Texts } from './en.ts'

export const texts = {
  heading: 'Ihr Konto',
  back: 'Zurück zu Ihrem Konto',
  loggedInAs: (user) => `Sie sind als ${user} angemeldet.`,
  administrator: (user) => `Sie sind als ${user} angemeldet und verwalten diesen Server.`,
  details: 'Ihre Angaben',
  noDetails: 'Außer Ihrem Benutzernamen ist nichts über Sie bekannt.',
  changeDetails: 'Angaben ändern',
  apps: 'Apps mit Zugriff auf Ihr Konto',
  since: (time) => `seit dem ${time}`,
  withdraw: 'Widerrufen',
  withdrawFrom: (app) => `Zugriff von ${app} widerrufen`,
  withdrawHint:
    'Wenn Sie den Zugriff einer App widerrufen, funktioniert sie sofort nicht mehr. Sie erhält erst wieder Zugriff, wenn Sie sich erneut mit ihr anmelden.',
  noApps: 'Keine. Eine App, die Sie mit Ihrem Konto verwenden, erscheint hier.',
  appsMissing: 'Im Moment fehlen hier vielleicht einige Apps. Schauen Sie in einer Minute noch einmal nach.',
  deletedApp: (clientId) => `${clientId} (gelöscht)`,
  sessions: 'Wo Sie angemeldet sind',
  thisBrowser: 'dieser Browser',
  from: (address) => `von ${address}`,
  logOut: 'Abmelden',
  logOutHere: 'Hier abmelden',
  logOutOf: (browser, since) => `${browser} abmelden, angemeldet seit dem ${since}`,
  providers: 'Wie Sie sich anmelden',
  as: (name) => `als ${name}`,
  done: {
    session: 'Diese Sitzung ist beendet.',
    app: 'Der Zugriff ist widerrufen: Die Tokens der App funktionieren nicht mehr.',
    details: 'Ihre Angaben sind gespeichert.',
    password:
      'Ihr Passwort ist geändert. Ihre anderen Sitzungen sind beendet, und Apps haben ihren Zugriff verloren.',
    'password-only':
      'Ihr Passwort ist geändert. Ihre anderen Sitzungen bleiben bestehen, und Ihre Apps behalten ihren Zugriff.',
  },
  whole: 'Was über Sie gespeichert ist',
  lastUsed: (time) => `zuletzt verwendet am ${time}`,
  place: (city, country) => `${city}, ${country}`,
  browsers: {
    programOn: (device) => `Ein Programm auf ${device}`,
    unknown: 'Ein unbekanntes Programm',
    on: (browser, device) => `${browser} auf ${device}`,
  },
} satisfies Texts
