import type { Texts } from './en.ts'

export const texts = {
  title: (app) => `Autoriser ${app} ?`,
  heading: (app) => `${app} demande l’accès à votre compte`,
  document: (host) =>
    `Cette application n’est pas enregistrée ici. C’est ${host} qui la décrit et qui a choisi son nom.`,
  selfRegistered: 'Personne n’a vérifié cette application.',
  anyProgram:
    'Cette application fonctionne sur votre propre appareil, et tout autre programme qui s’y trouve peut se faire passer pour elle. N’autorisez l’accès que si vous venez de la lancer vous-même.',
  lead: (user, app) => `Vous êtes connecté en tant que ${user}. Si vous l’autorisez, ${app} pourra :`,
  destination: (destination) =>
    `Vous retournerez ensuite vers ${destination}. N’autorisez l’accès que si vous en venez.`,
  allow: 'Autoriser',
  deny: 'Refuser',
  withdraw: (link) => `Vous pouvez retirer cet accès à tout moment dans ${link}.`,
  yourAccount: 'votre compte',
  aboutApp: (app) => `À propos de ${app}`,
  policy: 'Politique de confidentialité',
  terms: 'Conditions d’utilisation',
  noDecision: 'La décision manque : autoriser ou refuser.',
  over: 'Cette page a déjà reçu une réponse ou est trop ancienne. Si l’application a encore besoin d’un accès, revenez-y et recommencez.',
  sessionOver:
    'Votre session a pris fin pendant que cette page était ouverte ; l’application n’a donc obtenu aucun accès.',
  appOfScheme: (scheme) => `l’application ${scheme}`,
  scopes: {
    known: {
      read: 'Lire vos données',
      write: 'Modifier vos données',
      profile: 'Voir votre nom et votre profil',
      email: 'Voir votre adresse e-mail',
      openid: 'Vous reconnaître lorsque vous vous connectez',
      offline_access: 'Conserver son accès en votre absence',
    },
    ofOrganizations: {
      organization: 'Voir le nom de l’organisation',
      groups: 'Voir les groupes dont vous faites partie',
      roles: 'Voir les rôles que vous avez',
    },
    other: (scope) => `Utiliser « ${scope} »`,
    ofServer: (server, words) => `${server} : ${words}`,
  },
  laterScopes: {
    email: 'Voir votre adresse e-mail, dès que vous en aurez une ici',
    profile: 'Voir votre nom d’utilisateur, et votre profil dès que vous l’aurez rempli',
  },
} satisfies Texts
