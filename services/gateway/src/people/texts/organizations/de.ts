import type { Texts } from './en.ts'

export const texts = {
  heading: 'Ihre Organisationen',
  link: 'Organisationen',
  lead: 'In Apps, die nach einer Organisation fragen, handeln Sie für eine davon.',
  none: 'Sie gehören zu keiner Organisation. Wer eine besitzt, kann Sie per E-Mail einladen.',
  back: 'Zurück zu Ihren Organisationen',
  backTo: (organization) => `Zurück zu ${organization}`,
  unknown: 'Diese Organisation gibt es nicht, oder Sie gehören nicht zu ihr.',
  notAllowed: 'Diese Seite sehen nur Inhaber und Verwalter der Organisation.',
  ownersOnly: 'Diese Seite sehen nur Inhaber der Organisation.',
  ownersOtherWay:
    'Sie haben sich über die Organisation angemeldet und handeln hier deshalb als Verwalter. Melden Sie sich auf anderem Weg an, um diese Seite zu sehen.',
  secondFactor:
    'Diese Organisation verlangt zwei Faktoren. Richten Sie auf Ihrer Kontoseite einen zweiten ein und kommen Sie dann zurück.',
  roles: {
    owner: 'Inhaber',
    admin: 'Verwalter',
    member: 'Mitglied',
  },
  youAre: (role) => `Ihre Rolle hier: ${role}`,
  since: (time) => `seit ${time}`,
  manage: 'Organisation verwalten',
  leave: {
    link: 'Organisation verlassen',
    title: (organization) => `${organization} verlassen`,
    lead: 'Sie verlieren sofort, was Sie in ihr haben: Apps, die Sie für diese Organisation verwenden, verlieren ihren Zugriff. Zurück kommen Sie nur durch eine neue Einladung.',
    submit: 'Organisation verlassen',
    lastOwner:
      'Sie sind der letzte Inhaber, und der bleibt. Machen Sie zuerst ein anderes Mitglied zum Inhaber.',
  },
  members: {
    heading: 'Mitglieder',
    search: 'Nach Namen suchen',
    submit: 'Suchen',
    none: 'Niemand wurde gefunden.',
    you: 'Sie',
    disabled: 'gesperrt',
    roleOf: (name) => `Rolle von ${name}`,
    change: 'Ändern',
    remove: 'Entfernen',
    next: 'Nächste Seite',
    first: 'Erste Seite',
    removal: {
      title: (name) => `${name} entfernen`,
      lead: 'Diese Person verliert sofort, was sie in der Organisation hat: Apps, die sie dafür verwendet, verlieren ihren Zugriff.',
      submit: 'Mitglied entfernen',
    },
    refused: 'Es wurde nichts geändert: Der letzte Inhaber bleibt, und nur Inhaber ändern Inhaber.',
    gone: 'Diese Person ist kein Mitglied mehr.',
  },
  settings: {
    heading: 'Einstellungen',
    name: 'Name',
    logo: 'Adresse des Logos',
    logoHint: 'Eine https-Adresse eines Bildes. Lassen Sie das Feld leer, wenn Sie keines möchten.',
    color: 'Farbe',
    colorHint:
      'Die Farbe von Schaltflächen und Links, wenn sich Mitglieder für die Organisation anmelden, zum Beispiel #0b5cad. Ohne Angabe gilt die dieses Servers.',
    secondFactor: 'Mitglieder müssen sich mit zwei Faktoren anmelden',
    secondFactorHint:
      'Wer keinen zweiten Faktor hat, richtet einen ein, bevor er für die Organisation handelt.',
    ssoRequired: 'Mitglieder müssen sich über eine Verbindung der Organisation anmelden',
    ssoRequiredHint:
      'Passwörter, Passkeys und andere Wege gelten dann nicht mehr für die Organisation. Inhaber können sich immer auch anders anmelden, damit niemand ausgesperrt wird. Nötig sind eine nachgewiesene Domain und eine aktive Verbindung.',
    ssoInEffect: 'Das gilt jetzt.',
    ssoNotInEffect:
      'Das gilt jetzt nicht: Der Organisation fehlt eine nachgewiesene Domain oder eine aktive Verbindung.',
    save: 'Speichern',
    faults: {
      name: 'Der Name muss 1 bis 200 sichtbare Zeichen haben.',
      logo: 'Die Adresse des Logos muss eine https-URL ohne Passwort sein.',
      color: 'Die Farbe muss wie #0b5cad geschrieben sein.',
    },
    outdated:
      'Jemand anders hat die Einstellungen inzwischen geändert. Sehen Sie sie an und speichern Sie Ihre noch einmal.',
  },
  done: {
    left: 'Sie haben die Organisation verlassen.',
    joined: 'Sie sind jetzt Mitglied.',
    role: 'Die Rolle ist geändert.',
    removed: 'Das Mitglied ist entfernt.',
    'group-added': 'Die Person ist jetzt in der Gruppe.',
    'group-removed': 'Die Person ist nicht mehr in der Gruppe.',
    'role-given': 'Die Person hat jetzt die Rolle.',
    'role-taken': 'Die Person hat die Rolle nicht mehr.',
    settings: 'Die Einstellungen sind gespeichert.',
    invited: 'Die Einladung ist unterwegs.',
    again: 'Eine neue E-Mail ist unterwegs. Der frühere Link funktioniert nicht mehr.',
    withdrawn: 'Die Einladung ist zurückgezogen. Ihr Link funktioniert nicht mehr.',
    'domain-added': 'Die Domain ist hinzugefügt. Legen Sie den Eintrag an und prüfen Sie sie dann.',
    'domain-proven': 'Die Domain ist nachgewiesen.',
    'domain-removed': 'Die Domain ist entfernt.',
    'connection-added':
      'Die Verbindung ist hinzugefügt. Tragen Sie ihre Adressen beim Anbieter ein und testen Sie sie dann.',
    'connection-saved': 'Die Verbindung ist gespeichert.',
    'connection-disabled': 'Die Verbindung ist deaktiviert.',
    'connection-enabled': 'Die Verbindung ist aktiviert.',
    'connection-deleted': 'Die Verbindung ist gelöscht.',
    'rule-added': 'Die Regel ist hinzugefügt. Sie gilt ab der nächsten Anmeldung jedes Mitglieds.',
    'rules-removed':
      'Die Regeln sind entfernt. Was sie gaben, wird bei der nächsten Anmeldung jedes Mitglieds genommen.',
  },
} satisfies Texts
