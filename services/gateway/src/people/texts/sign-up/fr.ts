import type { Texts } from './en.ts'

export const texts = {
  title: 'Inscription',
  heading: 'Créer un compte',
  lead: 'Nous vous envoyons un e-mail avec un lien. Suivez-le pour choisir votre nom d’utilisateur et votre mot de passe.',
  haveAccount: 'J’ai un compte : se connecter',
  sent: (address) =>
    `Nous avons envoyé un e-mail à ${address}. Suivez le lien qu’il contient pour créer votre compte.`,
  sentHint:
    'Le lien fonctionne pendant une heure. Si aucun e-mail n’arrive, regardez dans vos courriers indésirables et vérifiez l’adresse.',
  anotherAddress: 'Saisir une autre adresse',
  closed: 'Les inscriptions sont fermées sur ce serveur. Demandez un compte à un administrateur.',
  confirmed: (address) => `Votre adresse ${address} est confirmée. Choisissez comment vous vous connectez.`,
  username: 'Nom d’utilisateur',
  usernameHint: 'Votre adresse, ou un autre nom sans espace. Vous pouvez vous connecter avec les deux.',
  password: 'Mot de passe',
  submit: 'Créer le compte',
  again: 'S’inscrire à nouveau',
  logIn: 'Se connecter',
} satisfies Texts
