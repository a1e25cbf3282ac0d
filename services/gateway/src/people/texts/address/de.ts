import type { Texts } from './en.ts'

export const texts = {
  own: {
    title: 'Ihre E-Mail-Adresse',
    confirmed: (address) => `Ihre Adresse ist ${address}. Sie ist bestätigt.`,
    unconfirmed: (address) => `Ihre Adresse ist ${address}. Sie ist nicht bestätigt.`,
    none: 'Sie haben hier keine E-Mail-Adresse.',
    confirm: 'E-Mail zum Bestätigen senden',
    change: 'Adresse ändern',
    add: 'Adresse hinzufügen',
    new: 'Neue E-Mail-Adresse',
    hint: 'Wir senden eine E-Mail mit einem Link an die neue Adresse. Die Adresse ändert sich, wenn Sie ihn öffnen.',
    link: 'E-Mail-Adresse ändern',
    unchanged: 'Das ist schon Ihre Adresse, und sie ist bestätigt.',
    tooMany:
      'An diese Adresse sind schon mehrere E-Mails gegangen. Warten Sie eine Stunde und versuchen Sie es dann noch einmal.',
    off: 'Dieser Server sendet keine E-Mails. Bitten Sie einen Administrator, Ihre Adresse zu ändern.',
    sent: 'Wir haben eine E-Mail gesendet. Ihre Adresse ändert sich, wenn Sie den Link darin öffnen.',
    done: 'Ihre E-Mail-Adresse ist bestätigt.',
  },
  confirm: {
    title: 'Adresse bestätigen',
    lead: (address, user) => `Die Adresse ${address} wird die des Kontos ${user}.`,
    submit: 'Bestätigen',
    hint: 'Wenn das nicht Ihr Konto ist, schließen Sie diese Seite. Es ändert sich nichts.',
    done: 'Ihre Adresse ist bestätigt',
    close: 'Sie können diese Seite jetzt schließen.',
  },
} satisfies Texts
