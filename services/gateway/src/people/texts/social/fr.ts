import type { Texts } from './en.ts'

const startAgain = 'Revenez à la page de connexion et recommencez.'

export const texts = {
  unreachable: (provider) => ({
    heading: `${provider} ne répond pas`,
    description: `${provider} ne répond pas pour le moment.`,
    advice: 'Vous n’avez pas été connecté. Réessayez dans une minute, ou connectez-vous autrement.',
  }),
  notOffered: (provider) => ({
    heading: `${provider} n’est pas disponible ici`,
    description: `La connexion avec ${provider} n’est pas disponible sur ce serveur.`,
    advice: 'Connectez-vous autrement.',
  }),
  notConfigured: (provider) => ({
    heading: `${provider} n’est pas configuré ici`,
    description: `La connexion avec ${provider} n’est pas configurée sur ce serveur.`,
    advice: 'Connectez-vous autrement. L’administration peut la configurer.',
  }),
  unknownLogin: {
    heading: 'Cette connexion a pris fin',
    description:
      'La connexion était déjà terminée, a duré trop longtemps ou a été commencée dans un autre navigateur.',
    advice: startAgain,
  },
  denied: (provider) => ({
    heading: 'Vous n’avez pas été connecté',
    description: `${provider} indique que la connexion a été annulée ou n’est pas autorisée.`,
    advice: 'Si vous ne vouliez pas l’annuler, revenez à la page de connexion et recommencez.',
  }),
  disabled: {
    heading: 'Vous ne pouvez pas vous connecter',
    description: 'Votre compte est désactivé ici.',
    advice: 'Demandez à l’administration de réactiver votre compte.',
  },
  untrusted: (provider) => ({
    heading: `La réponse de ${provider} est anormale`,
    description: `La réponse de ${provider} n’est pas digne de confiance ; vous n’avez donc pas été connecté.`,
    advice: `${startAgain} Si cela se reproduit, signalez-le à l’administration.`,
  }),
  unknownProvider: 'Aucun service de connexion ne porte ce nom.',
  toLogin: 'Aller à la page de connexion',
} satisfies Texts
