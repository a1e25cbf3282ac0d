import type { Texts } from './en.ts'

export const texts = {
  heading: 'Einladungen',
  invite: 'Jemanden einladen',
  role: 'Rolle',
  submit: 'Einladung senden',
  none: 'Es ist keine Einladung offen.',
  by: (name) => `Eingeladen von ${name}`,
  sent: (time) => `gesendet ${time}`,
  expires: (time) => `gültig bis ${time}`,
  expired: 'abgelaufen',
  again: 'Erneut senden',
  withdraw: 'Zurückziehen',
  withdrawal: {
    title: (address) => `Einladung an ${address} zurückziehen`,
    lead: 'Der Link in der E-Mail funktioniert sofort nicht mehr.',
    submit: 'Einladung zurückziehen',
  },
  gone: 'Diese Einladung ist nicht mehr offen.',
  problems: {
    member: 'Das ist schon die Adresse eines Mitglieds.',
    tooManyMails:
      'An diese Adresse gingen schon mehrere E-Mails. Bitte versuchen Sie es in einer Stunde noch einmal.',
    tooManyToday:
      'Die Organisation hat heute schon so viele Einladungen gesendet, wie sie darf. Bitte versuchen Sie es morgen noch einmal.',
    tooManyOpen:
      'Die Organisation hat so viele offene Einladungen, wie sie haben darf. Ziehen Sie zuerst eine zurück.',
    noMails: 'Dieser Server sendet keine E-Mails, deshalb kann niemand eingeladen werden.',
  },
  join: {
    title: (organization) => `${organization} beitreten`,
    lead: (organization) => `Sie sind eingeladen, ${organization} beizutreten.`,
    by: (name, organization) => `${name} lädt Sie ein, ${organization} beizutreten.`,
    as: (role) => `Ihre Rolle dort: ${role}`,
    for: (address) => `Die Einladung ist für ${address}.`,
    loggedInAs: (user) => `Sie sind als ${user} angemeldet.`,
    submit: 'Der Organisation beitreten',
    hint: 'Wenn Sie nicht beitreten möchten, schließen Sie diese Seite. Es geschieht nichts.',
    otherAddress: (user) =>
      `Sie sind als ${user} angemeldet, ein Konto mit einer anderen E-Mail-Adresse. Melden Sie sich mit dem Konto an, das diese Adresse hat.`,
    otherAccount: 'Mit einem anderen Konto anmelden',
    unverified: (user) =>
      `Sie sind als ${user} angemeldet. Bestätigen Sie zuerst Ihre E-Mail-Adresse, und öffnen Sie dann den Link der Einladung noch einmal.`,
    confirm: 'Adresse bestätigen',
    logIn: 'Anmelden',
    signUp: 'Konto anlegen',
    stranger: 'Melden Sie sich mit dem Konto an, das diese Adresse hat.',
    newcomer: 'Mit dieser Adresse gibt es noch kein Konto.',
    noAccount: 'Wenn Sie kein Konto haben, bitten Sie die Betreiber dieses Servers um eines.',
    tooMany: 'Sie gehören zu so vielen Organisationen, wie man darf. Verlassen Sie zuerst eine.',
    full: 'Die Organisation hat so viele Mitglieder, wie sie haben darf.',
  },
} satisfies Texts
