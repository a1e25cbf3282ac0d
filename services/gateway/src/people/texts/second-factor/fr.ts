import { waitIn } from '../time.ts'
import type { Texts } from './en.ts'

export const texts = {
  heading: 'Encore une étape',
  loggingIn: (user) => `Vous vous connectez en tant que ${user}.`,
  loggedIn: (user) =>
    `Vous êtes connecté en tant que ${user}. Votre second facteur est également nécessaire ici.`,
  code: 'Code de votre application d’authentification',
  codeHint: 'Six chiffres, qui changent toutes les 30 secondes.',
  submit: 'Continuer',
  recovery: 'Utiliser un code de secours',
  recoveryCode: 'Code de secours',
  recoveryHint: (left) => `Codes restants : ${left}. Chacun ne sert qu’une fois.`,
  nothing:
    'Aucun de vos seconds facteurs ne fonctionne actuellement sur ce serveur. Demandez à l’administration de les réinitialiser.',
  somebodyElse: 'Se connecter avec un autre compte',
  missing: 'Saisissez le code.',
  wrongCode: 'Ce code est incorrect ou a déjà été utilisé. Attendez le suivant, puis réessayez.',
  wrongRecoveryCode: 'Ce code de secours est incorrect ou a déjà été utilisé.',
  tooMany: (seconds) => `Trop de codes incorrects. Réessayez ${waitIn('fr', seconds)}.`,
  ended:
    'Cette connexion a pris trop de temps, ou il y a eu trop de codes incorrects. Connectez-vous à nouveau.',
} satisfies Texts
