import type { Texts } from './en.ts'

export const texts = {
  link: 'Vos connexions',
  heading: 'Vos connexions',
  lead: 'Toutes les tentatives de connexion à votre compte au cours des 30 derniers jours, les plus récentes d’abord. Si vous n’en reconnaissez pas une qui a réussi, changez votre mot de passe.',
  none: 'Il n’y en a eu aucune au cours des 30 derniers jours.',
  older: 'Connexions plus anciennes',
  newest: 'Connexions les plus récentes',
  outcomes: {
    succeeded: 'Connexion réussie',
    wrongPassword: 'Mot de passe incorrect',
    disabled: 'Votre compte était désactivé',
    tooManyFailures: 'Refusée après trop d’échecs de connexion',
    providerRefused: 'Annulée ou refusée chez le fournisseur',
    providerFailed: 'Le fournisseur n’a pas répondu comme prévu',
    wrongFactor: 'Second facteur incorrect',
    tooManyCodes: 'Refusée après trop de codes incorrects',
    factorMissing: 'Second facteur non fourni',
    factorNotAsked: 'Refusée : cette application ne peut pas demander votre second facteur',
    notFinished: 'Non terminée à temps',
    passkeyRefused: 'Clé d’accès non acceptée',
    failed: 'Échec',
  },
} satisfies Texts
