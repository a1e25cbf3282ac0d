import type { ByMailTexts } from './en.ts'

/** The pages of what people do by mail, in German. */
export const byMailDe: ByMailTexts = {
  link: { forgot: 'Passwort vergessen?', signUp: 'Konto anlegen' },
  address: 'E-Mail-Adresse',
  send: 'E-Mail senden',
  wrongAddress: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel anna@example.com.',
  checkMail: 'Sehen Sie in Ihr Postfach',
  signUp: {
    title: 'Registrieren',
    heading: 'Konto anlegen',
    lead: 'Wir senden Ihnen eine E-Mail mit einem Link. Öffnen Sie ihn, um Benutzernamen und Passwort zu wählen.',
    haveAccount: 'Ich habe ein Konto: anmelden',
    sent: (address) =>
      `Wir haben eine E-Mail an ${address} gesendet. Öffnen Sie den Link darin, um Ihr Konto anzulegen.`,
    sentHint:
      'Der Link funktioniert eine Stunde lang. Wenn keine E-Mail kommt, sehen Sie im Spam-Ordner nach und prüfen Sie die Adresse.',
    anotherAddress: 'Andere Adresse eingeben',
    closed:
      'Auf diesem Server kann man sich nicht registrieren. Bitten Sie einen Administrator um ein Konto.',
    confirmed: (address) => `Ihre Adresse ${address} ist bestätigt. Wählen Sie, wie Sie sich anmelden.`,
    username: 'Benutzername',
    usernameHint: 'Ihre Adresse oder ein anderer Name ohne Leerzeichen. Sie können sich mit beiden anmelden.',
    password: 'Passwort',
    submit: 'Konto anlegen',
    again: 'Erneut registrieren',
    logIn: 'Anmelden',
  },
  reset: {
    title: 'Passwort zurücksetzen',
    lead: 'Wir senden eine E-Mail mit einem Link an die E-Mail-Adresse Ihres Kontos.',
    username: 'Benutzername oder E-Mail-Adresse',
    missing: 'Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein.',
    sent: 'Wenn es ein Konto mit diesem Namen oder dieser Adresse gibt, haben wir eine E-Mail an dessen E-Mail-Adresse gesendet. Öffnen Sie den Link darin, um ein neues Passwort zu wählen.',
    sentHint:
      'Der Link funktioniert eine Stunde lang. Wenn keine E-Mail kommt, sehen Sie im Spam-Ordner nach. Ein Konto, dessen Adresse nie bestätigt wurde, bekommt keine E-Mail: Wenden Sie sich an einen Administrator.',
    back: 'Zurück zur Anmeldung',
    off: 'Dieser Server sendet keine E-Mails. Bitten Sie einen Administrator um ein neues Passwort.',
    choose: 'Neues Passwort wählen',
    chooseLead: (user) =>
      `Es gilt für das Konto ${user}. Sie werden überall abgemeldet, und Apps verlieren ihren Zugriff.`,
    newPassword: 'Neues Passwort',
    submit: 'Passwort speichern',
    another: 'Neuen Link anfordern',
    done: 'Ihr Passwort ist geändert. Melden Sie sich mit dem neuen an.',
  },
  rule: (least) => `Mindestens ${least} Zeichen.`,
  faults: {
    too_short: (least) => `Das Passwort muss mindestens ${least} Zeichen haben.`,
    too_long: 'Das Passwort ist zu lang.',
    too_common:
      'Dies ist eines der häufigsten Passwörter, die als erste geraten werden. Wählen Sie ein anderes.',
    like_name: 'Das Passwort darf nicht Ihr Benutzername oder Ihre E-Mail-Adresse sein.',
    taken: 'Dieser Benutzername ist schon vergeben. Wählen Sie einen anderen.',
    an_address: 'Der Benutzername darf nicht die E-Mail-Adresse einer anderen Person sein.',
    a_link: 'Der Benutzername darf weder / noch : enthalten und nicht mit www. beginnen.',
    invalid:
      'Dieser Benutzername geht nicht: Er muss 1 bis 200 sichtbare Zeichen ohne Leerzeichen haben und darf nicht mit client_ beginnen.',
  },
  confirm: {
    title: 'Adresse bestätigen',
    lead: (address, user) => `Die Adresse ${address} wird die des Kontos ${user}.`,
    submit: 'Bestätigen',
    hint: 'Wenn das nicht Ihr Konto ist, schließen Sie diese Seite. Es ändert sich nichts.',
    done: 'Ihre Adresse ist bestätigt',
    close: 'Sie können diese Seite jetzt schließen.',
  },
  over: {
    title: 'Dieser Link funktioniert nicht mehr',
    lead: 'Er wurde schon verwendet, oder seine Zeit ist abgelaufen. Ein Link endet auch, wenn sich das Passwort oder die Adresse ändert.',
    toAccount: 'Zu Ihrem Konto',
  },
  ownAddress: {
    title: 'Ihre E-Mail-Adresse',
    confirmed: (address) => `Ihre Adresse ist ${address}. Sie ist bestätigt.`,
    unconfirmed: (address) => `Ihre Adresse ist ${address}. Sie ist nicht bestätigt.`,
    none: 'Sie haben hier keine E-Mail-Adresse.',
    confirm: 'E-Mail zum Bestätigen senden',
    change: 'Adresse ändern',
    add: 'Adresse hinzufügen',
    new: 'Neue E-Mail-Adresse',
    hint: 'Wir senden eine E-Mail mit einem Link an die neue Adresse. Die Adresse ändert sich, wenn Sie ihn öffnen.',
    back: 'Zurück zu Ihrem Konto',
    link: 'E-Mail-Adresse ändern',
    unchanged: 'Das ist schon Ihre Adresse, und sie ist bestätigt.',
    tooMany:
      'An diese Adresse sind schon mehrere E-Mails gegangen. Warten Sie eine Stunde und versuchen Sie es dann noch einmal.',
    off: 'Dieser Server sendet keine E-Mails. Bitten Sie einen Administrator, Ihre Adresse zu ändern.',
    sent: 'Wir haben eine E-Mail gesendet. Ihre Adresse ändert sich, wenn Sie den Link darin öffnen.',
    done: 'Ihre E-Mail-Adresse ist bestätigt.',
  },
}
