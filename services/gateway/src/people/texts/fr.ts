import { byMailFr } from './by-mail/fr.ts'
import type { Texts } from './en.ts'
import { factorsFr } from './factors/fr.ts'
import { minutesIn, waitIn } from './factors/time.ts'
import { loginsFr } from './logins/fr.ts'
import { ownAccountFr } from './own-account/fr.ts'

const startAgain = 'Revenez à la page de connexion et recommencez.'
const appIsWrong =
  'Revenez à l’application et réessayez. Si cela se reproduit, signalez-le aux responsables de l’application.'
const answeredOrOld = 'Cette page a déjà reçu une réponse ou est trop ancienne.'

/** The pages for people in French. */
export const fr: Texts = {
  layout: {
    navigation: 'Compte',
    administration: 'Administration',
    account: 'Compte',
    logOut: 'Se déconnecter',
    about: 'À propos de ce serveur',
    terms: 'Conditions d’utilisation',
    privacy: 'Confidentialité',
    support: 'Aide',
  },
  passwords: { show: 'Afficher', hide: 'Masquer' },
  login: {
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
  },
  consent: {
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
    over: `${answeredOrOld} Si l’application a encore besoin d’un accès, revenez-y et recommencez.`,
    sessionOver:
      'Votre session a pris fin pendant que cette page était ouverte ; l’application n’a donc obtenu aucun accès.',
    appOfScheme: (scheme) => `l’application ${scheme}`,
  },
  scopes: {
    known: {
      read: 'Lire vos données',
      write: 'Modifier vos données',
      profile: 'Voir votre nom et votre profil',
      email: 'Voir votre adresse e-mail',
      openid: 'Vous reconnaître lorsque vous vous connectez',
      offline_access: 'Conserver son accès en votre absence',
    },
    other: (scope) => `Utiliser « ${scope} »`,
    ofServer: (server, words) => `${server} : ${words}`,
  },
  account: {
    heading: 'Votre compte',
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
      'Une application dont vous retirez l’accès cesse aussitôt de fonctionner, jusqu’à ce que vous l’utilisiez de nouveau pour vous connecter.',
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
  },
  password: {
    change: 'Modifier votre mot de passe',
    current: 'Mot de passe actuel',
    new: 'Nouveau mot de passe',
    rule: (least) => `Au moins ${least} caractères.`,
    again: 'Répéter le nouveau mot de passe',
    keepAccess: 'Rester connecté ailleurs et laisser leur accès aux applications',
    keepAccessHint:
      'Laissez cette case vide si quelqu’un d’autre connaît peut-être votre mot de passe actuel : vous serez alors déconnecté partout ailleurs et toutes les applications perdront leur accès.',
    submit: 'Modifier le mot de passe',
    yours: 'Votre mot de passe',
    notNeeded: (providers) =>
      `Vous n’avez pas besoin de mot de passe ici : vous vous connectez avec ${providers}. Si vous en voulez un, adressez-vous à l’administration.`,
    differ: 'Les deux nouveaux mots de passe sont différents. Rien n’a été modifié.',
    wrong: 'Le mot de passe actuel est incorrect. Rien n’a été modifié.',
    unacceptable: () => 'Ce nouveau mot de passe n’est pas accepté. Choisissez-en un autre.',
  },
  browser: {
    programOn: (device) => `Un programme sur ${device}`,
    unknown: 'Un programme inconnu',
    on: (browser, device) => `${browser} sur ${device}`,
  },
  details: {
    heading: 'Vos informations',
    lead: 'Les applications que vous autorisez à voir votre profil reçoivent ces informations. Ce qui est vide n’est montré à personne.',
    addressByAdministrators: 'Seule l’administration peut modifier votre adresse e-mail.',
    save: 'Enregistrer',
    back: 'Retour à votre compte',
    yes: 'oui',
    no: 'non',
    choices: {
      yes: 'Oui',
      no: 'Non',
      none: 'Non précisé',
      leave: (now) => `Laisser inchangé : ${now}`,
    },
    faults: {
      text: (label, most) => `« ${label} » doit être un texte visible de 1 à ${most} caractères.`,
      picture: (label) => `« ${label} » doit être une adresse https sans mot de passe.`,
      language: (label) => `« ${label} » doit être un code de langue, par exemple en ou de-CH.`,
      zone: (label) => `« ${label} » doit être un fuseau horaire, par exemple Europe/Berlin.`,
    },
  },
  factors: factorsFr,
  logins: loginsFr,
  logout: {
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
    over: `${answeredOrOld} Ouvrez votre compte pour vous déconnecter.`,
  },
  start: {
    lead: 'Connectez-vous aux applications avec un seul compte.',
    account: 'Votre compte',
    accountText: 'Votre profil, mot de passe, seconds facteurs et applications.',
    console: 'Console',
    consoleText: 'Pour les administrateurs : applications, utilisateurs et activité.',
    documentation: 'Documentation',
    documentationText: 'Créer des applications avec ce serveur, l’exploiter et l’administrer. En anglais.',
    api: 'Référence de l’API',
    apiText: 'Pour les développeurs : tous les points d’accès, à lire et à essayer.',
    metadata: 'Métadonnées du serveur',
    metadataText: 'Pour les bibliothèques clientes : les adresses de tous les points d’accès.',
  },
  loggedOut: {
    heading: 'Vous êtes déconnecté',
    lead: 'Vous pouvez maintenant fermer cette page.',
    continueTo: (destination) => `Continuer vers ${destination}`,
    again: 'Se reconnecter',
  },
  social: {
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
  },
  error: {
    toAccount: 'Accéder à votre compte',
    toDocumentation: 'Documentation : la signification de chaque erreur (en anglais)',
    details: 'Détails pour les développeurs',
    code: 'Erreur',
    description: 'Description',
    trace: 'Identifiant de trace',
    otherSite: (ours) =>
      `Ce formulaire n’a pas été envoyé depuis une page de ce serveur. Ouvrez ${ours} et réessayez depuis là.`,
    wait: (seconds) => `Vous pourrez réessayer ${waitIn('fr', seconds)}.`,
    other: { heading: 'Cela ne fonctionne pas', advice: appIsWrong },
    byCode: {
      invalid_request: { heading: 'Cette demande ne fonctionne pas', advice: appIsWrong },
      invalid_client: { heading: 'Cette application n’est pas connue ici', advice: appIsWrong },
      access_denied: {
        heading: 'Vous n’avez pas l’autorisation',
        advice: 'Si vous pensez que vous devriez l’avoir, adressez-vous à l’administration.',
      },
      login_required: {
        heading: 'Votre session a pris fin',
        advice: 'Retournez là d’où vous venez et recommencez : il vous sera demandé de vous connecter.',
      },
      not_found: {
        heading: 'Page introuvable',
        advice: 'Vérifiez l’adresse. Si un lien vous a conduit ici, il n’est plus à jour.',
      },
      method_not_allowed: {
        heading: 'Cette page n’existe pas',
        advice: 'Retournez là d’où vous venez et recommencez.',
      },
      rate_limit_exceeded: {
        heading: 'Trop de demandes',
        advice: 'Patientez un instant, puis rechargez la page.',
      },
      temporarily_unavailable: {
        heading: 'Un instant, s’il vous plaît',
        advice: 'Ce serveur est occupé ou en cours de démarrage. Rechargez la page dans quelques secondes.',
      },
      server_error: {
        heading: 'Un problème est survenu',
        advice: 'Vous n’y êtes pour rien. Réessayez ; si cela se reproduit, signalez-le à l’administration.',
      },
    },
  },
  byMail: byMailFr,
  ownAccount: ownAccountFr,
}
