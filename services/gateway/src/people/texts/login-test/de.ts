import type { Texts } from './en.ts'

export const texts = {
  heading: (connection) => `Test von ${connection}`,
  works: 'Die Anmeldung funktioniert. Dabei wurde niemand angemeldet und nichts gespeichert.',
  fails: 'Die Anmeldung funktioniert nicht. Es wurde nichts gespeichert.',
  would: 'Was eine Anmeldung bewirken würde',
  mapped: 'Was die Zuordnung ergibt',
  existing: (username) => `${username} würde angemeldet.`,
  created: 'Ein neuer Benutzer würde angelegt.',
  groups: 'Gruppen',
  roles: 'Rollen',
  roleOf: (role, resource) => `${role} (${resource})`,
  nothing: 'Die Zuordnung ergibt nichts.',
  remarks: 'Regeln ohne Wirkung',
  claims: 'Was der Anbieter gesagt hat',
  noClaims: 'Der Anbieter hat nichts gesagt.',
  claim: 'Claim',
  value: 'Wert',
  again: 'Noch einmal testen',
  back: 'Zurück zur Verbindung',
  problems: {
    unknownLogin:
      'Der Test ist zu alt oder wurde in einem anderen Browser begonnen. Beginnen Sie ihn noch einmal.',
    denied: 'Die Anmeldung wurde beim Anbieter abgebrochen, oder er hat sie abgelehnt.',
    unreachable:
      'Der Anbieter antwortet nicht rechtzeitig. Prüfen Sie den Aussteller, und ob dieser Server ihn erreichen darf.',
    badAnswer:
      'Die Antwort des Anbieters ist ungültig. Prüfen Sie Client-ID, Geheimnis oder Schlüssel, Aussteller und acr-Werte.',
    disabled: 'Der Benutzer, zu dem dieses Konto gehört, ist gesperrt.',
    noConnection:
      'Die Verbindung ist deaktiviert, oder ihre Organisation ist es. Aktivieren Sie sie, bevor sich jemand anmeldet.',
    notInvited:
      'Niemand hat dieses Konto verknüpft, und die Verbindung legt für diese Person keinen Benutzer an.',
    hasAccount:
      'Ein Benutzer hat diese Adresse schon. Er meldet sich einmal auf andere Weise an und verknüpft das Konto auf seiner Kontoseite.',
    noMember: 'Der Benutzer, der dieses Konto verknüpft hat, gehört nicht zur Organisation.',
    linkedToOther: 'Das Konto ist mit einem anderen Benutzer verknüpft.',
    session: 'Sie wurden inzwischen abgemeldet oder dürfen diese Verbindung nicht testen.',
    full: 'Die Organisation hat so viele Mitglieder, wie sie haben darf.',
    other: 'Die Anmeldung wurde abgelehnt.',
  },
} satisfies Texts
