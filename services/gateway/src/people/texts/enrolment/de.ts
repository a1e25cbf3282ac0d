import type { Texts } from './en.ts'

export const texts = {
  choose: {
    heading: 'Zweiten Faktor hinzufügen',
    lead: 'Hier genügt Ihr Passwort allein nicht. Wählen Sie, was Sie außerdem verwenden; weitere können Sie später hinzufügen.',
    passkey: 'Passkey',
    passkeyLead:
      'Ihr Fingerabdruck, Ihr Gesicht oder eine PIN auf diesem Gerät, oder ein Sicherheitsschlüssel.',
    addPasskey: 'Passkey hinzufügen',
    app: 'Authentifizierungs-App',
    appLead: 'Eine App auf Ihrem Telefon, die alle 30 Sekunden einen neuen Code anzeigt.',
    addApp: 'App einrichten',
    nothing:
      'Dieser Server bietet keinen zweiten Faktor an, den Sie hinzufügen könnten. Wenden Sie sich an die Verwaltung.',
  },
  addPasskey: {
    heading: 'Passkey hinzufügen',
    lead: 'Mit einem Passkey melden Sie sich per Fingerabdruck, Gesicht, PIN oder Sicherheitsschlüssel an, auch ohne Ihr Passwort.',
    name: 'Name',
    nameHint: 'Daran erkennen Sie ihn später wieder.',
    submit: 'Passkey hinzufügen',
    cancelled: 'Es wurde kein Passkey hinzugefügt: Der Vorgang wurde abgebrochen oder hat zu lange gedauert.',
    invalid: 'Der Passkey konnte nicht hinzugefügt werden. Versuchen Sie es noch einmal.',
    taken: 'Dieses Gerät oder dieser Schlüssel hat schon einen Passkey für dieses Konto.',
    tooMany: 'Sie haben so viele Passkeys, wie Sie haben können. Entfernen Sie zuerst einen.',
    badName: 'Der Name muss 1 bis 100 sichtbare Zeichen haben.',
    unavailable: 'Dieser Server bietet keine Passkeys an.',
  },
  addApp: {
    heading: 'Authentifizierungs-App einrichten',
    scan: 'Scannen Sie diesen QR-Code mit der App.',
    picture: 'QR-Code für die App. Er enthält denselben Schlüssel, der darunter steht.',
    type: 'Oder geben Sie diesen Schlüssel in die App ein:',
    open: 'Oder in der App auf diesem Gerät öffnen',
    code: 'Code, den die App anzeigt',
    submit: 'Fertigstellen',
    wrong: 'Dieser Code ist falsch. Prüfen Sie die Uhr Ihres Telefons und versuchen Sie den nächsten Code.',
    unavailable: 'Dieser Server bietet keine Authentifizierungs-Apps an.',
  },
  codes: {
    heading: 'Ihre Wiederherstellungscodes',
    lead: 'Wenn Sie Ihren zweiten Faktor verlieren, melden Sie sich mit Ihrem Passwort und einem dieser Codes an. Jeder gilt einmal.',
    keep: 'Drucken Sie sie aus oder schreiben Sie sie auf, und bewahren Sie sie sicher auf. Sie werden nicht noch einmal angezeigt.',
    replaced: 'Ihre früheren Codes gelten nicht mehr.',
    stored: 'Ich habe sie gesichert',
  },
} satisfies Texts
