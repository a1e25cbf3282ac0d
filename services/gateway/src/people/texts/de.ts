import { byMailDe } from './by-mail/de.ts'
import type { Texts } from './en.ts'
import { factorsDe } from './factors/de.ts'
import { minutesIn, waitIn } from './factors/time.ts'
import { loginsDe } from './logins/de.ts'
import { ownAccountDe } from './own-account/de.ts'

const startAgain = 'Gehen Sie zurück zur Anmeldeseite und beginnen Sie von vorn.'
const appIsWrong =
  'Gehen Sie zurück zur App und versuchen Sie es noch einmal. Wenn es wieder geschieht, wenden Sie sich an die Hersteller der App.'
const answeredOrOld = 'Diese Seite wurde schon beantwortet oder ist zu alt.'

/** The pages for people in German. */
export const de: Texts = {
  layout: {
    navigation: 'Konto',
    administration: 'Verwaltung',
    account: 'Konto',
    logOut: 'Abmelden',
    about: 'Über diesen Server',
    terms: 'Nutzungsbedingungen',
    privacy: 'Datenschutz',
    support: 'Hilfe',
  },
  passwords: { show: 'Anzeigen', hide: 'Verbergen' },
  login: {
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
    wrong:
      'Der Benutzername oder das Passwort ist falsch. Prüfen Sie beides und versuchen Sie es noch einmal.',
    tooMany: (seconds) =>
      `Zu viele fehlgeschlagene Anmeldungen. Versuchen Sie es ${minutesIn('de', seconds)} erneut.`,
  },
  consent: {
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
    over: `${answeredOrOld} Wenn die App noch Zugriff braucht, gehen Sie zu ihr zurück und beginnen Sie von vorn.`,
    sessionOver:
      'Ihre Sitzung endete, während diese Seite offen war. Die App hat deshalb keinen Zugriff bekommen.',
    appOfScheme: (scheme) => `der App ${scheme}`,
  },
  scopes: {
    known: {
      read: 'Ihre Daten lesen',
      write: 'Ihre Daten ändern',
      profile: 'Ihren Namen und Ihr Profil sehen',
      email: 'Ihre E-Mail-Adresse sehen',
      openid: 'Sie wiedererkennen, wenn Sie sich anmelden',
      offline_access: 'Den Zugriff behalten, während Sie nicht da sind',
    },
    other: (scope) => `„${scope}“ verwenden`,
    ofServer: (server, words) => `${server}: ${words}`,
  },
  account: {
    heading: 'Ihr Konto',
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
      'Eine App, deren Zugriff Sie widerrufen, funktioniert sofort nicht mehr, bis Sie sich das nächste Mal mit ihr anmelden.',
    noApps: 'Keine. Eine App, die Sie mit Ihrem Konto verwenden, erscheint hier.',
    appsMissing:
      'Im Moment fehlen hier vielleicht einige Apps. Schauen Sie in einer Minute noch einmal nach.',
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
  },
  password: {
    change: 'Passwort ändern',
    current: 'Aktuelles Passwort',
    new: 'Neues Passwort',
    rule: (least) => `Mindestens ${least} Zeichen.`,
    again: 'Neues Passwort wiederholen',
    keepAccess: 'Anderswo angemeldet bleiben und Apps ihren Zugriff lassen',
    keepAccessHint:
      'Lassen Sie dieses Kästchen leer, wenn jemand anderes Ihr aktuelles Passwort kennen könnte: Sie werden dann überall sonst abgemeldet, und jede App verliert ihren Zugriff.',
    submit: 'Passwort ändern',
    yours: 'Ihr Passwort',
    notNeeded: (providers) =>
      `Sie brauchen hier kein Passwort: Sie melden sich mit ${providers} an. Wenn Sie eines möchten, fragen Sie Ihre Administratoren.`,
    differ: 'Die beiden neuen Passwörter unterscheiden sich. Es wurde nichts geändert.',
    wrong: 'Das aktuelle Passwort ist falsch. Es wurde nichts geändert.',
    unacceptable: () => 'Dieses neue Passwort ist nicht zulässig. Wählen Sie ein anderes.',
  },
  browser: {
    programOn: (device) => `Ein Programm auf ${device}`,
    unknown: 'Ein unbekanntes Programm',
    on: (browser, device) => `${browser} auf ${device}`,
  },
  details: {
    heading: 'Ihre Angaben',
    lead: 'Apps, denen Sie Einsicht in Ihr Profil erlauben, erhalten diese Angaben. Was leer ist, wird niemandem gezeigt.',
    addressByAdministrators: 'Ihre E-Mail-Adresse können nur Ihre Administratoren ändern.',
    save: 'Speichern',
    back: 'Zurück zu Ihrem Konto',
    yes: 'ja',
    no: 'nein',
    choices: {
      yes: 'Ja',
      no: 'Nein',
      none: 'Keine Angabe',
      leave: (now) => `Unverändert lassen: ${now}`,
    },
    faults: {
      text: (label, most) => `„${label}“ muss ein sichtbarer Text von 1 bis ${most} Zeichen sein.`,
      picture: (label) => `„${label}“ muss eine https-Adresse ohne Passwort sein.`,
      language: (label) => `„${label}“ muss ein Sprachkürzel sein, zum Beispiel en oder de-CH.`,
      zone: (label) => `„${label}“ muss eine Zeitzone sein, zum Beispiel Europe/Berlin.`,
    },
  },
  factors: factorsDe,
  logins: loginsDe,
  logout: {
    title: 'Abmelden?',
    heading: (brand) => `Von ${brand} abmelden?`,
    loggedInAs: (user) => `Sie sind als ${user} angemeldet.`,
    asked: (app) => `${app} bittet Sie, sich abzumelden.`,
    explanation:
      'Wenn Sie sich abmelden, endet Ihre Sitzung in diesem Browser. Die Apps, bei denen Sie sich angemeldet haben, erfahren davon.',
    destination: (destination) => `Danach gelangen Sie zu ${destination}.`,
    submit: 'Abmelden',
    stay: 'Angemeldet bleiben',
    noDecision: 'Die Entscheidung fehlt.',
    over: `${answeredOrOld} Öffnen Sie Ihr Konto, um sich abzumelden.`,
  },
  start: {
    lead: 'Mit einem Konto bei Apps anmelden.',
    account: 'Ihr Konto',
    accountText: 'Ihr Profil, Passwort, zweite Faktoren und Apps.',
    console: 'Konsole',
    consoleText: 'Für Administratoren: Apps, Benutzer und Aktivität.',
    documentation: 'Dokumentation',
    documentationText: 'Apps entwickeln, den Server betreiben und verwalten. Auf Englisch.',
    api: 'API-Referenz',
    apiText: 'Für Entwickler: alle Endpunkte zum Lesen und Ausprobieren.',
    metadata: 'Server-Metadaten',
    metadataText: 'Für Client-Bibliotheken: die Adressen aller Endpunkte.',
  },
  loggedOut: {
    heading: 'Sie sind abgemeldet',
    lead: 'Sie können diese Seite jetzt schließen.',
    continueTo: (destination) => `Weiter zu ${destination}`,
    again: 'Wieder anmelden',
  },
  social: {
    unreachable: (provider) => ({
      heading: `${provider} antwortet nicht`,
      description: `${provider} antwortet im Moment nicht.`,
      advice:
        'Sie wurden nicht angemeldet. Versuchen Sie es in einer Minute noch einmal oder melden Sie sich auf anderem Weg an.',
    }),
    notOffered: (provider) => ({
      heading: `${provider} ist hier nicht verfügbar`,
      description: `Die Anmeldung mit ${provider} ist auf diesem Server nicht verfügbar.`,
      advice: 'Melden Sie sich auf anderem Weg an.',
    }),
    notConfigured: (provider) => ({
      heading: `${provider} ist hier nicht eingerichtet`,
      description: `Die Anmeldung mit ${provider} ist auf diesem Server nicht eingerichtet.`,
      advice: 'Melden Sie sich auf anderem Weg an. Ihre Administratoren können sie einrichten.',
    }),
    unknownLogin: {
      heading: 'Diese Anmeldung ist beendet',
      description:
        'Die Anmeldung wurde schon abgeschlossen, hat zu lange gedauert oder wurde in einem anderen Browser begonnen.',
      advice: startAgain,
    },
    denied: (provider) => ({
      heading: 'Sie wurden nicht angemeldet',
      description: `${provider} meldet, dass die Anmeldung abgebrochen wurde oder nicht erlaubt ist.`,
      advice:
        'Wenn Sie sie nicht abbrechen wollten, gehen Sie zurück zur Anmeldeseite und beginnen Sie von vorn.',
    }),
    disabled: {
      heading: 'Sie dürfen sich nicht anmelden',
      description: 'Ihr Konto hier ist gesperrt.',
      advice: 'Bitten Sie Ihre Administratoren, Ihr Konto zu entsperren.',
    },
    untrusted: (provider) => ({
      heading: `Mit der Antwort von ${provider} stimmt etwas nicht`,
      description: `Der Antwort von ${provider} ist nicht zu trauen. Sie wurden deshalb nicht angemeldet.`,
      advice: `${startAgain} Wenn es wieder geschieht, wenden Sie sich an Ihre Administratoren.`,
    }),
    unknownProvider: 'Es gibt keinen Anmeldedienst mit diesem Namen.',
    toLogin: 'Zur Anmeldeseite',
  },
  error: {
    toAccount: 'Zu Ihrem Konto',
    toDocumentation: 'Dokumentation: die Bedeutung jedes Fehlers (Englisch)',
    details: 'Einzelheiten für Entwickler',
    code: 'Fehler',
    description: 'Beschreibung',
    trace: 'Trace-ID',
    otherSite: (ours) =>
      `Dieses Formular kam nicht von einer Seite dieses Servers. Öffnen Sie ${ours} und versuchen Sie es dort noch einmal.`,
    wait: (seconds) => `Sie können es ${waitIn('de', seconds)} noch einmal versuchen.`,
    other: { heading: 'Das funktioniert nicht', advice: appIsWrong },
    byCode: {
      invalid_request: { heading: 'Diese Anfrage funktioniert nicht', advice: appIsWrong },
      invalid_client: { heading: 'Diese App ist hier nicht bekannt', advice: appIsWrong },
      access_denied: {
        heading: 'Dazu sind Sie nicht berechtigt',
        advice: 'Wenn Sie meinen, dass Sie es dürfen sollten, fragen Sie Ihre Administratoren.',
      },
      login_required: {
        heading: 'Ihre Sitzung ist beendet',
        advice:
          'Gehen Sie dorthin zurück, woher Sie gekommen sind, und beginnen Sie von vorn: Sie werden dann gebeten, sich anzumelden.',
      },
      not_found: {
        heading: 'Seite nicht gefunden',
        advice: 'Prüfen Sie die Adresse. Wenn ein Link Sie hierher geführt hat, ist er veraltet.',
      },
      method_not_allowed: {
        heading: 'Diese Seite gibt es nicht',
        advice: 'Gehen Sie dorthin zurück, woher Sie gekommen sind, und beginnen Sie von vorn.',
      },
      rate_limit_exceeded: {
        heading: 'Zu viele Anfragen',
        advice: 'Warten Sie einen Moment und laden Sie die Seite dann neu.',
      },
      temporarily_unavailable: {
        heading: 'Einen Moment bitte',
        advice:
          'Dieser Server ist ausgelastet oder startet gerade. Laden Sie die Seite in ein paar Sekunden neu.',
      },
      server_error: {
        heading: 'Etwas ist schiefgegangen',
        advice:
          'Es liegt nicht an Ihnen. Versuchen Sie es noch einmal; wenn es wieder geschieht, wenden Sie sich an Ihre Administratoren.',
      },
    },
  },
  byMail: byMailDe,
  ownAccount: ownAccountDe,
}
