import { minutesIn } from '../time.ts'
import type { Texts } from './en.ts'

export const texts = {
  heading: 'Connexion',
  toContinueTo: (app) => `pour continuer vers ${app}`,
  again: (user) => `Vous êtes connecté en tant que ${user}. Pour continuer, reconnectez-vous.`,
  loggedIn: (user, link) =>
    `Vous êtes connecté en tant que ${user}. ${link}, ou connectez-vous avec un autre compte.`,
  continue: 'Continuer',
  toAccount: 'Accéder à votre compte',
  username: 'Nom d’utilisateur ou adresse e-mail',
  password: 'Mot de passe',
  submit: 'Se connecter',
  providers: 'Ou se connecter avec',
  missing: 'Saisissez votre nom d’utilisateur et votre mot de passe.',
  wrong: 'Le nom d’utilisateur ou le mot de passe est incorrect. Vérifiez-les et réessayez.',
  tooMany: (seconds) => `Trop d’échecs de connexion. Réessayez ${minutesIn('fr', seconds)}.`,
  forgot: 'Mot de passe oublié ?',
  signUp: 'Créer un compte',
} satisfies Texts
