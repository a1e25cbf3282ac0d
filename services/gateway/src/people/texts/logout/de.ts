import type { Texts } from './en.ts'

export const texts = {
  title: 'Abmelden?',
  heading: (brand) => `Von ${brand} abmelden?`,
  loggedInAs: (user) => `Sie sind als ${user} angemeldet.`,
  asked: (app) => `${app} bittet Sie, sich abzumelden.`,
  explanation:
    'Wenn Sie sich abmelden, endet Ihre Sitzung in diesem Browser. Die Apps, bei denen Sie sich angemeldet haben, erfahren davon.',
  destination: (destination) => `Danach gelangen Sie zu ${destination}.`,
  submit: 'Abmelden',
  stay: 'Angemeldet bleiben',
  noDecision: 'Die Entscheidung fehlt.',
  over: 'Diese Seite wurde schon beantwortet oder ist zu alt. Öffnen Sie Ihr Konto, um sich abzumelden.',
  loggedOut: {
    heading: 'Sie sind abgemeldet',
    lead: 'Sie können diese Seite jetzt schließen.',
    continueTo: (destination) => `Weiter zu ${destination}`,
    again: 'Wieder anmelden',
  },
} satisfies Texts
