import type { Texts } from './en.ts'

export const texts = {
  data: {
    title: 'Ihre Daten herunterladen',
    lead: 'Sie erhalten eine Datei mit allem, was hier über Sie gespeichert ist: Ihre Angaben, die Apps mit Zugriff auf Ihr Konto, wo und wie Sie angemeldet sind, Ihre Anmeldungen der letzten 30 Tage und die E-Mails, die an Sie gesendet wurden.',
    hint: 'Die Datei ist im Format JSON, das für Programme gedacht ist und das auch Menschen lesen können. Sie enthält keine Passwörter und keine Codes. Geben Sie sie nicht weiter.',
    submit: 'Datei herunterladen',
  },
  deletion: {
    title: 'Konto löschen',
    lead: 'Das lässt sich nicht rückgängig machen. Niemand kann das Konto wiederherstellen, auch nicht die Verwaltung.',
    consequences: [
      'Sie werden überall abgemeldet.',
      'Apps verlieren sofort ihren Zugriff. Was sie selbst gespeichert haben, bleibt bei ihnen.',
      'Ihre Angaben, Passkeys und andere Anmeldewege, Anmeldungen und E-Mails werden gelöscht.',
    ],
    downloadFirst: 'Zuerst Ihre Daten herunterladen',
    confirm: (user) => `Geben Sie zur Bestätigung Ihren Benutzernamen ein: ${user}`,
    label: 'Ihr Benutzername',
    submit: 'Konto endgültig löschen',
    wrong: 'Das ist nicht Ihr Benutzername. Es wurde nichts gelöscht.',
    lastOwner:
      'Nur Sie dürfen diesen Server uneingeschränkt verwalten, deshalb kann Ihr Konto nicht gelöscht werden. Geben Sie zuerst auch jemand anderem die volle Verwaltung.',
    ownsOrganization: (organization) =>
      `Nur Sie leiten die Organisation ${organization}, die noch andere Mitglieder hat, deshalb kann Ihr Konto nicht gelöscht werden. Machen Sie zuerst ein anderes Mitglied zum Inhaber.`,
    off: 'Auf diesem Server kann nur die Verwaltung Konten löschen.',
  },
  deleted: {
    heading: 'Ihr Konto ist gelöscht',
    lead: 'Sie sind überall abgemeldet, und Apps haben keinen Zugriff mehr. Sie können diese Seite jetzt schließen.',
  },
} satisfies Texts
