import type { MailTexts } from './mail-texts.ts'

const onceInAnHour = 'Der Link funktioniert einmal, innerhalb einer Stunde.'

/** The mails in German. */
export const de: MailTexts = {
  greeting: (username) => (username === undefined ? 'Guten Tag,' : `Guten Tag ${username},`),
  orOpen: 'Oder öffnen Sie diese Adresse in Ihrem Browser:',
  reason: (brand) => `${brand} hat diese E-Mail gesendet, weil diese Adresse dort verwendet wurde.`,
  terms: 'Nutzungsbedingungen',
  privacy: 'Datenschutz',
  support: 'Hilfe',
  kinds: {
    sign_up: ({ brand }) => ({
      subject: `Schließen Sie Ihre Registrierung bei ${brand} ab`,
      lines: [`Wählen Sie einen Benutzernamen und ein Passwort, um Ihr Konto bei ${brand} anzulegen.`],
      button: 'Konto anlegen',
      after: [
        onceInAnHour,
        'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Ohne den Link geschieht nichts.',
      ],
    }),
    sign_up_known: ({ brand, username }) => ({
      subject: `Sie haben bereits ein Konto bei ${brand}`,
      lines: [
        `Jemand, vermutlich Sie, wollte sich mit dieser Adresse bei ${brand} registrieren. Sie gehört zum Konto ${username}: Melden Sie sich mit diesem Namen oder mit dieser Adresse an.`,
        'Wenn Sie das Passwort nicht mehr wissen, können Sie es zurücksetzen.',
      ],
      button: 'Passwort zurücksetzen',
      after: ['Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Es hat sich nichts geändert.'],
    }),
    invitation: ({ brand }) => ({
      subject: `Sie sind zu ${brand} eingeladen`,
      lines: [`Ein Administrator hat Sie eingeladen, ein Konto bei ${brand} anzulegen.`],
      button: 'Konto anlegen',
      after: [
        'Der Link funktioniert einmal, innerhalb von sieben Tagen.',
        'Wenn Sie kein Konto möchten, ignorieren Sie diese E-Mail.',
      ],
    }),
    password_reset: ({ brand, username }) => ({
      subject: `Setzen Sie Ihr Passwort für ${brand} zurück`,
      lines: [`Jemand, vermutlich Sie, möchte das Passwort von ${username} bei ${brand} zurücksetzen.`],
      button: 'Neues Passwort wählen',
      after: [
        onceInAnHour,
        'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ihr Passwort bleibt, wie es ist.',
      ],
    }),
    password_changed: ({ brand, username, time }) => ({
      subject: `Ihr Passwort für ${brand} wurde geändert`,
      lines: [`Das Passwort von ${username} bei ${brand} wurde geändert: ${time}.`],
      button: 'Das war ich nicht: Passwort zurücksetzen',
      after: ['Wenn Sie das waren, müssen Sie nichts tun.'],
    }),
    address: ({ brand, username }) => ({
      subject: `Bestätigen Sie Ihre E-Mail-Adresse für ${brand}`,
      lines: [`Bestätigen Sie, dass diese Adresse zu ${username} bei ${brand} gehört.`],
      button: 'Adresse bestätigen',
      after: [
        onceInAnHour,
        'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Ohne den Link geschieht nichts.',
      ],
    }),
    address_changed: ({ brand, username, address, time }) => ({
      subject: `Ihre E-Mail-Adresse bei ${brand} wurde geändert`,
      lines: [
        `Die E-Mail-Adresse von ${username} bei ${brand} wurde geändert: ${time}. Sie lautet jetzt ${address}, und an diese Adresse gehen keine E-Mails mehr.`,
      ],
      after: ['Wenn Sie das nicht waren, wenden Sie sich sofort an die Betreiber dieses Servers.'],
    }),
    new_login: ({ brand, username, browser, ipAddress, time }) => ({
      subject: `Neue Anmeldung bei Ihrem Konto bei ${brand}`,
      lines: [`${username} hat sich mit einem Browser angemeldet, der bisher nicht verwendet wurde.`],
      facts: [
        ['Browser', browser],
        ['IP-Adresse', ipAddress],
        ['Zeit', time],
      ],
      button: 'Konto ansehen',
      after: [
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, ändern Sie Ihr Passwort und beenden Sie die Sitzung auf der Seite Ihres Kontos.',
      ],
    }),
    factor_added: ({ brand, username, time }) => ({
      subject: `Ihrem Konto bei ${brand} wurde eine Anmeldemöglichkeit hinzugefügt`,
      lines: [
        `Dem Konto ${username} bei ${brand} wurde ein Passkey oder eine Authenticator-App hinzugefügt: ${time}.`,
      ],
      button: 'Konto ansehen',
      after: [
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, ändern Sie sofort Ihr Passwort und prüfen Sie die Anmeldemöglichkeiten auf der Seite Ihres Kontos.',
      ],
    }),
    factor_removed: ({ brand, username, time }) => ({
      subject: `Von Ihrem Konto bei ${brand} wurde eine Anmeldemöglichkeit entfernt`,
      lines: [
        `Vom Konto ${username} bei ${brand} wurde ein Passkey oder eine Authenticator-App entfernt: ${time}.`,
      ],
      button: 'Konto ansehen',
      after: [
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, ändern Sie sofort Ihr Passwort und prüfen Sie die Anmeldemöglichkeiten auf der Seite Ihres Kontos.',
      ],
    }),
    account_connected: ({ brand, username, connection, time }) => ({
      subject: `Ihrem Konto bei ${brand} wurde eine Anmeldemöglichkeit hinzugefügt`,
      lines: [`Mit dem Konto ${username} bei ${brand} wurde ein Konto bei ${connection} verbunden: ${time}.`],
      button: 'Verbundene Konten ansehen',
      after: [
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, trennen Sie es sofort und ändern Sie Ihr Passwort.',
      ],
    }),
    recovery_code_used: ({ brand, username, time }) => ({
      subject: `Ein Wiederherstellungscode Ihres Kontos bei ${brand} wurde verwendet`,
      lines: [
        `Jemand hat sich mit einem Wiederherstellungscode beim Konto ${username} bei ${brand} angemeldet: ${time}. Dieser Code funktioniert nicht mehr.`,
      ],
      button: 'Konto ansehen',
      after: [
        'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, ändern Sie sofort Ihr Passwort und prüfen Sie die Anmeldemöglichkeiten auf der Seite Ihres Kontos.',
      ],
    }),
    account_deleted: ({ brand, username, time }) => ({
      subject: `Ihr Konto bei ${brand} wurde gelöscht`,
      lines: [
        `Das Konto ${username} bei ${brand} wurde auf Ihren Wunsch gelöscht: ${time}.`,
        'Sie sind überall abgemeldet, Apps haben keinen Zugriff mehr, und was über Sie gespeichert war, ist gelöscht.',
      ],
      after: ['Wenn Sie das nicht waren, wenden Sie sich sofort an die Betreiber dieses Servers.'],
    }),
    organization_invitation: ({ brand, organization, inviter }) => ({
      subject: `Sie sind zu einer Organisation bei ${brand} eingeladen`,
      lines: [`Sie sind eingeladen, einer Organisation bei ${brand} beizutreten.`],
      facts: [
        ['Organisation', organization],
        ['Eingeladen von', inviter],
      ],
      button: 'Einladung ansehen',
      after: [
        'Der Link funktioniert einmal, innerhalb von sieben Tagen.',
        'Wenn Sie nicht beitreten möchten, ignorieren Sie diese E-Mail.',
      ],
    }),
    domain_missing: ({ brand, organization, domain, time }) => ({
      subject: `Der DNS-Eintrag Ihrer Domain fehlt bei ${brand}`,
      lines: [
        `Der DNS-Eintrag, der eine Domain Ihrer Organisation bei ${brand} nachweist, fehlt.`,
        `Wenn der Eintrag bis zu diesem Zeitpunkt nicht zurück ist, verliert die Organisation die Domain: ${time}.`,
      ],
      facts: [
        ['Organisation', organization],
        ['Domain', domain],
      ],
      button: 'Ihre Organisationen ansehen',
      after: [],
    }),
    domain_lost: ({ brand, organization, domain }) => ({
      subject: `Ihre Organisation hat bei ${brand} eine Domain verloren`,
      lines: [
        `Der DNS-Eintrag, der eine Domain Ihrer Organisation bei ${brand} nachweist, fehlt seit sieben Tagen. Deshalb hat die Organisation die Domain verloren.`,
      ],
      facts: [
        ['Organisation', organization],
        ['Domain', domain],
      ],
      button: 'Ihre Organisationen ansehen',
      after: [
        'Um sie zurückzubekommen, legen Sie den Eintrag wieder an und prüfen Sie die Domain auf der Seite der Organisation.',
      ],
    }),
  },
}
