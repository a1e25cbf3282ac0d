import type { Texts } from './en.ts'

export const texts = {
  title: 'Se déconnecter ?',
  heading: (brand) => `Se déconnecter de ${brand} ?`,
  loggedInAs: (user) => `Vous êtes connecté en tant que ${user}.`,
  asked: (app) => `${app} vous demande de vous déconnecter.`,
  explanation:
    'La déconnexion met fin à votre session dans ce navigateur. Les applications auxquelles vous vous êtes connecté en sont informées.',
  destination: (destination) => `Vous irez ensuite vers ${destination}.`,
  submit: 'Se déconnecter',
  stay: 'Rester connecté',
  noDecision: 'La décision manque.',
  over: 'Cette page a déjà reçu une réponse ou est trop ancienne. Ouvrez votre compte pour vous déconnecter.',
  loggedOut: {
    heading: 'Vous êtes déconnecté',
    lead: 'Vous pouvez maintenant fermer cette page.',
    continueTo: (destination) => `Continuer vers ${destination}`,
    again: 'Se reconnecter',
  },
} satisfies Texts
