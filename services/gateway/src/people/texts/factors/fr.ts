import type { Texts } from './en.ts'

export const texts = {
  account: {
    heading: 'Clés d’accès et seconds facteurs',
    none: 'Votre compte n’est protégé que par un mot de passe.',
    created: (time) => `depuis le ${time}`,
    used: (time) => `dernière utilisation : ${time}`,
    synced: 'sur plusieurs appareils',
    change: 'Modifier',
    changeNamed: (name) => `Modifier la clé d’accès ${name}`,
    addPasskey: 'Ajouter une clé d’accès',
    app: 'Application d’authentification',
    addApp: 'Configurer une application d’authentification',
    replaceApp: 'Configurer une autre application',
    remove: 'Supprimer',
    removeApp: 'Supprimer l’application d’authentification',
    codes: 'Codes de secours',
    codesLeft: (left) => `codes restants : ${left}`,
    renewCodes: 'Créer de nouveaux codes de secours',
    done: {
      'passkey-added': 'Votre clé d’accès est ajoutée.',
      'app-added': 'Votre application d’authentification est configurée.',
      'passkey-renamed': 'La clé d’accès a un nouveau nom.',
      'factor-removed': 'Suppression effectuée : ce moyen ne permet plus de se connecter.',
    },
  },
  change: {
    passkey: 'Modifier une clé d’accès',
    name: 'Nom',
    save: 'Enregistrer',
    removePasskey: 'Supprimer cette clé d’accès',
    removePasskeyLead:
      'Vous ne pourrez plus vous connecter avec elle. Supprimez-la également sur votre appareil.',
    removeApp: 'Supprimer l’application d’authentification ?',
    removeAppLead: 'Ses codes ne fonctionneront plus ici. Supprimez également l’entrée dans l’application.',
    last: 'C’est votre dernier second facteur : vos codes de secours disparaissent avec lui, et votre mot de passe seul suffira pour vous connecter.',
    mustHave:
      'C’est votre dernier second facteur, et vous devez en avoir un ici. Ajoutez-en d’abord un autre.',
    remove: 'Supprimer',
    renewCodes: 'Créer de nouveaux codes de secours ?',
    renewCodesLead: 'Tous les codes que vous avez actuellement cesseront de fonctionner.',
    renew: 'Créer de nouveaux codes',
  },
} satisfies Texts
