import type { Texts } from './en.ts'

export const texts = {
  account: {
    heading: 'Passkeys und zweite Faktoren',
    none: 'Ihr Konto ist nur durch ein Passwort geschützt.',
    created: (time) => `seit ${time}`,
    used: (time) => `zuletzt verwendet: ${time}`,
    synced: 'auf mehreren Geräten',
    change: 'Ändern',
    changeNamed: (name) => `Passkey ${name} ändern`,
    addPasskey: 'Passkey hinzufügen',
    app: 'Authentifizierungs-App',
    addApp: 'Authentifizierungs-App einrichten',
    replaceApp: 'Andere App einrichten',
    remove: 'Entfernen',
    removeApp: 'Authentifizierungs-App entfernen',
    codes: 'Wiederherstellungscodes',
    codesLeft: (left) => `verbleibende Codes: ${left}`,
    renewCodes: 'Neue Wiederherstellungscodes erstellen',
    done: {
      'passkey-added': 'Ihr Passkey ist hinzugefügt.',
      'app-added': 'Ihre Authentifizierungs-App ist eingerichtet.',
      'passkey-renamed': 'Der Passkey hat einen neuen Namen.',
      'factor-removed': 'Entfernt: Damit kann sich niemand mehr anmelden.',
    },
  },
  change: {
    passkey: 'Passkey ändern',
    name: 'Name',
    save: 'Speichern',
    removePasskey: 'Diesen Passkey entfernen',
    removePasskeyLead: 'Sie können sich nicht mehr damit anmelden. Löschen Sie ihn auch auf Ihrem Gerät.',
    removeApp: 'Authentifizierungs-App entfernen?',
    removeAppLead: 'Ihre Codes gelten hier nicht mehr. Löschen Sie auch den Eintrag in der App.',
    last: 'Das ist Ihr letzter zweiter Faktor: Ihre Wiederherstellungscodes enden mit ihm, und Ihr Passwort allein genügt zur Anmeldung.',
    mustHave:
      'Das ist Ihr letzter zweiter Faktor, und hier müssen Sie einen haben. Fügen Sie zuerst einen anderen hinzu.',
    remove: 'Entfernen',
    renewCodes: 'Neue Wiederherstellungscodes erstellen?',
    renewCodesLead: 'Alle Codes, die Sie jetzt haben, gelten dann nicht mehr.',
    renew: 'Neue Codes erstellen',
  },
} satisfies Texts
