import type { Texts } from './en.ts'

export const texts = {
  data: {
    title: 'Télécharger vos données',
    lead: 'Vous obtenez un fichier avec tout ce qui est enregistré ici à votre sujet : vos informations, les applications ayant accès à votre compte, où et comment vous êtes connecté, vos connexions des 30 derniers jours et les e-mails qui vous ont été envoyés.',
    hint: 'Le fichier est au format JSON, destiné aux programmes mais lisible par tous. Il ne contient ni mot de passe ni code. Gardez-le pour vous.',
    submit: 'Télécharger le fichier',
  },
  deletion: {
    title: 'Supprimer votre compte',
    lead: 'Cette action est définitive. Personne ne peut rétablir le compte, pas même l’administration.',
    consequences: [
      'Vous êtes déconnecté partout.',
      'Les applications perdent aussitôt leur accès. Ce qu’elles ont enregistré elles-mêmes reste chez elles.',
      'Vos informations, vos clés d’accès et autres moyens de connexion, vos connexions et vos e-mails sont supprimés.',
    ],
    downloadFirst: 'Télécharger d’abord vos données',
    confirm: (user) => `Pour confirmer, saisissez votre nom d’utilisateur : ${user}`,
    label: 'Votre nom d’utilisateur',
    submit: 'Supprimer définitivement le compte',
    wrong: 'Ce n’est pas votre nom d’utilisateur. Rien n’a été supprimé.',
    lastOwner:
      'Vous êtes la dernière personne à avoir tous les droits d’administration sur ce serveur : votre compte ne peut pas être supprimé. Donnez d’abord tous ces droits à quelqu’un d’autre.',
    ownsOrganization: (organization) =>
      `Vous êtes le dernier propriétaire de ${organization}, qui a d’autres membres : votre compte ne peut pas être supprimé. Désignez d’abord un autre membre comme propriétaire.`,
    off: 'Sur ce serveur, seule l’administration peut supprimer des comptes.',
  },
  deleted: {
    heading: 'Votre compte est supprimé',
    lead: 'Vous êtes déconnecté partout et les applications ont perdu leur accès. Vous pouvez fermer cette page.',
  },
} satisfies Texts
