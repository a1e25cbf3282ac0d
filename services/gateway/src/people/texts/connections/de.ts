import type { Texts } from './en.ts'

export const texts = {
  byAddress: 'Über Ihre Organisation anmelden',
  otherWay: {
    organization: (name) => `Um bei ${name} fortzufahren, melden Sie sich darüber an.`,
    factors: (name) => `Um bei ${name} fortzufahren, melden Sie sich mit zwei Faktoren an.`,
    account: 'Diese App verlangt eine Anmeldung mit Ihrem eigenen Konto.',
    page: 'Um diese Seite zu sehen, melden Sie sich auf anderem Weg an.',
  },
  address: {
    lead: 'Geben Sie Ihre dienstliche E-Mail-Adresse ein. An ihr erkennen wir, wo Sie sich anmelden.',
    label: 'E-Mail-Adresse',
    submit: 'Weiter',
    missing: 'Geben Sie Ihre E-Mail-Adresse ein.',
    unknown:
      'Diese Adresse führt zu keiner Anmeldung einer Organisation. Prüfen Sie sie, oder melden Sie sich auf anderem Weg an.',
    otherWays: 'Andere Wege, sich anzumelden',
  },
  question: {
    title: (name) => `Über ${name} anmelden?`,
    lead: (user) =>
      `Sie sind als ${user} angemeldet. Ein Link auf einer anderen Website hat Sie hierher geführt. Wenn Sie sich jetzt als jemand anderes anmelden, endet diese Anmeldung.`,
    submit: 'Anmelden',
    stay: 'Angemeldet bleiben',
  },
  problems: {
    notInvited: (provider) => ({
      heading: 'Sie haben hier kein Konto',
      description: `Sie haben sich über ${provider} angemeldet, aber zu dieser Anmeldung gehört hier kein Konto.`,
      advice:
        'Bitten Sie einen Administrator um eine Einladung. Wenn Sie ein Konto haben, melden Sie sich auf anderem Weg an.',
    }),
    hasAccount: (provider) => ({
      heading: 'Sie haben bereits ein Konto',
      description: `Es gibt ein Konto mit Ihrer E-Mail-Adresse, aber es ist noch nicht mit ${provider} verbunden.`,
      advice: `Melden Sie sich dieses eine Mal auf anderem Weg an. Danach können Sie ${provider} mit Ihrem Konto verbinden.`,
    }),
    noMember: (provider) => ({
      heading: 'Sie sind kein Mitglied dieser Organisation',
      description: `Anmeldungen über ${provider} sind für Mitglieder der Organisation, und Ihr Konto gehört nicht dazu.`,
      advice:
        'Bitten Sie einen Verwalter der Organisation um eine Einladung, oder melden Sie sich auf anderem Weg an.',
    }),
    linkedToOther: (provider) => ({
      heading: 'Diese Anmeldung gehört zu einem anderen Konto',
      description: `Das Konto bei ${provider} ist hier schon mit einem anderen Konto verbunden.`,
      advice:
        'Wählen Sie dort ein anderes Konto, oder melden Sie sich hier mit dem anderen Konto an und trennen Sie es davon.',
    }),
    session: (provider) => ({
      heading: 'Sie müssen sich noch einmal anmelden',
      description: `Ihre Anmeldung hier endete, während Sie bei ${provider} waren, oder sie erlaubt das nicht.`,
      advice: 'Melden Sie sich an, und beginnen Sie noch einmal.',
    }),
    full: (provider) => ({
      heading: 'Die Organisation ist voll',
      description: `Die Organisation von ${provider} hat so viele Mitglieder, wie sie haben darf.`,
      advice: 'Sagen Sie es einem Verwalter der Organisation.',
    }),
  },
  own: {
    heading: 'Verbundene Konten',
    link: 'Verbundene Konten ansehen',
    lead: 'Über diese Konten anderswo können Sie sich hier anmelden.',
    none: 'Mit Ihrem Konto ist keines anderswo verbunden.',
    of: (organization) => `Gilt nur bei ${organization}`,
    since: (time) => `verbunden seit ${time}`,
    badge: 'Geht nicht',
    orphaned: 'Der Anbieter ist jetzt ein anderer, der dieses Konto nicht kennt.',
    disabled: 'Über diesen Anbieter kann sich zurzeit niemand anmelden.',
    offers: 'Ein weiteres Konto verbinden',
    done: { connected: 'Das Konto ist verbunden.', removed: 'Das Konto ist nicht mehr verbunden.' },
    connect: {
      title: (name) => `${name} mit Ihrem Konto verbinden?`,
      lead: 'Sie melden sich jetzt dort an. Von da an können Sie sich hier darüber anmelden.',
      submit: 'Verbinden',
    },
    remove: {
      title: (name) => `${name} trennen?`,
      lead: 'Sie können sich nicht mehr darüber anmelden. Wo Sie sich darüber angemeldet haben, werden Sie abgemeldet, und Apps verlieren den Zugriff, den Sie ihnen dabei gegeben haben.',
      submit: 'Trennen',
      last: 'Sie haben keinen anderen Weg, sich anzumelden. Richten Sie zuerst ein Passwort oder einen Passkey ein.',
    },
  },
} satisfies Texts
