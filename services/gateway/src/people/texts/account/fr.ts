import type { Texts } from './en.ts'

export const texts = {
  heading: 'Votre compte',
  back: 'Retour à votre compte',
  loggedInAs: (user) => `Vous êtes connecté en tant que ${user}.`,
  administrator: (user) => `Vous êtes connecté en tant que ${user}, avec les droits d’administration.`,
  details: 'Vos informations',
  noDetails: 'On ne sait rien de vous, hormis votre nom d’utilisateur.',
  changeDetails: 'Modifier vos informations',
  apps: 'Applications ayant accès à votre compte',
  since: (time) => `depuis le ${time}`,
  withdraw: 'Retirer',
  withdrawFrom: (app) => `Retirer l’accès de ${app}`,
  withdrawHint:
    'Quand vous retirez l’accès d’une application, elle cesse aussitôt de fonctionner. Elle ne retrouve cet accès que si vous l’utilisez de nouveau pour vous connecter.',
  noApps: 'Aucune. Les applications que vous utilisez avec votre compte apparaissent ici.',
  appsMissing: 'Certaines applications manquent peut-être pour le moment. Revenez dans une minute.',
  deletedApp: (clientId) => `${clientId} (supprimée)`,
  sessions: 'Où vous êtes connecté',
  thisBrowser: 'ce navigateur',
  from: (address) => `depuis ${address}`,
  logOut: 'Déconnecter',
  logOutHere: 'Se déconnecter ici',
  logOutOf: (browser, since) => `Déconnecter ${browser}, depuis le ${since}`,
  providers: 'Comment vous vous connectez',
  as: (name) => `en tant que ${name}`,
  done: {
    session: 'Cette session est terminée.',
    app: 'L’accès est retiré : les jetons de l’application ne fonctionnent plus.',
    details: 'Vos informations sont enregistrées.',
    password:
      'Votre mot de passe est modifié. Vos autres sessions sont terminées et les applications ont perdu leur accès.',
    'password-only':
      'Votre mot de passe est modifié. Vos autres sessions et vos applications conservent leur accès.',
  },
  whole: 'Ce qui est enregistré à votre sujet',
  lastUsed: (time) => `dernière utilisation le ${time}`,
  place: (city, country) => `${city}, ${country}`,
  browsers: {
    programOn: (device) => `Un programme sur ${device}`,
    unknown: 'Un programme inconnu',
    on: (browser, device) => `${browser} sur ${device}`,
  },
} satisfies Texts
