import type { Texts } from './en.ts'

export const texts = {
  heading: 'Vos organisations',
  link: 'Organisations',
  lead: 'Vous agissez pour une organisation dans les applications qui en demandent une.',
  none: 'Vous n’êtes dans aucune organisation. Un propriétaire peut vous inviter par e-mail.',
  back: 'Retour à vos organisations',
  backTo: (organization) => `Retour à ${organization}`,
  unknown: 'Cette organisation n’existe pas, ou vous n’en êtes pas membre.',
  notAllowed: 'Seuls les propriétaires et les administrateurs de l’organisation voient cette page.',
  ownersOnly: 'Seuls les propriétaires de l’organisation voient cette page.',
  ownersOtherWay:
    'Vous vous êtes connecté via l’organisation et agissez donc ici comme administrateur. Pour voir cette page, connectez-vous autrement.',
  secondFactor:
    'Cette organisation demande deux facteurs. Ajoutez-en un second sur la page de votre compte, puis revenez.',
  roles: {
    owner: 'Propriétaire',
    admin: 'Administrateur',
    member: 'Membre',
  },
  youAre: (role) => `Votre rôle ici : ${role}`,
  since: (time) => `depuis le ${time}`,
  manage: 'Gérer l’organisation',
  leave: {
    link: 'Quitter l’organisation',
    title: (organization) => `Quitter ${organization}`,
    lead: 'Vous perdez aussitôt ce que vous y avez : les applications que vous utilisez pour cette organisation perdent leur accès. Vous n’y revenez que par une nouvelle invitation.',
    submit: 'Quitter l’organisation',
    lastOwner:
      'Vous en êtes le dernier propriétaire, qui doit rester. Nommez d’abord un autre membre propriétaire.',
  },
  members: {
    heading: 'Membres',
    search: 'Rechercher par nom',
    submit: 'Rechercher',
    none: 'Personne n’a été trouvé.',
    you: 'vous',
    disabled: 'désactivé',
    roleOf: (name) => `Rôle de ${name}`,
    change: 'Modifier',
    remove: 'Retirer',
    next: 'Page suivante',
    first: 'Première page',
    removal: {
      title: (name) => `Retirer ${name}`,
      lead: 'Cette personne perd aussitôt ce qu’elle a dans l’organisation : les applications qu’elle utilise pour elle perdent leur accès.',
      submit: 'Retirer le membre',
    },
    refused:
      'Rien n’a été modifié : le dernier propriétaire reste, et seuls les propriétaires modifient les propriétaires.',
    gone: 'Cette personne n’est plus membre.',
  },
  settings: {
    heading: 'Paramètres',
    name: 'Nom',
    logo: 'Adresse du logo',
    logoHint: 'Une adresse https d’une image. Laissez vide pour ne pas en avoir.',
    color: 'Couleur',
    colorHint:
      'La couleur des boutons et des liens quand les membres se connectent pour l’organisation, par exemple #0b5cad. Laissez vide pour celle de ce serveur.',
    secondFactor: 'Les membres doivent se connecter avec deux facteurs',
    secondFactorHint: 'Qui n’a pas de second facteur en ajoute un avant d’agir pour l’organisation.',
    ssoRequired: 'Les membres doivent se connecter par une liaison de l’organisation',
    ssoRequiredHint:
      'Les mots de passe, les clés d’accès et les autres moyens ne valent alors plus pour l’organisation. Les propriétaires peuvent toujours se connecter autrement, pour que personne ne soit enfermé dehors. Il faut un domaine prouvé et une liaison active.',
    ssoInEffect: 'C’est en vigueur maintenant.',
    ssoNotInEffect:
      'Ce n’est pas en vigueur maintenant : l’organisation n’a pas de domaine prouvé ou pas de liaison active.',
    save: 'Enregistrer',
    faults: {
      name: 'Le nom doit avoir de 1 à 200 caractères visibles.',
      logo: 'L’adresse du logo doit être une URL https sans mot de passe.',
      color: 'La couleur doit être écrite comme #0b5cad.',
    },
    outdated:
      'Quelqu’un d’autre a modifié les paramètres entre-temps. Vérifiez-les, puis enregistrez de nouveau les vôtres.',
  },
  done: {
    left: 'Vous avez quitté l’organisation.',
    joined: 'Vous êtes maintenant membre.',
    role: 'Le rôle est modifié.',
    removed: 'Le membre est retiré.',
    'group-added': 'La personne est maintenant dans le groupe.',
    'group-removed': 'La personne n’est plus dans le groupe.',
    'role-given': 'La personne a maintenant le rôle.',
    'role-taken': 'La personne n’a plus le rôle.',
    settings: 'Les paramètres sont enregistrés.',
    invited: 'L’invitation est en route.',
    again: 'Un nouvel e-mail est en route. Le lien précédent ne fonctionne plus.',
    withdrawn: 'L’invitation est retirée. Son lien ne fonctionne plus.',
    'domain-added': 'Le domaine est ajouté. Créez l’enregistrement, puis vérifiez-le.',
    'domain-proven': 'Le domaine est prouvé.',
    'domain-removed': 'Le domaine est retiré.',
    'connection-added':
      'La liaison est ajoutée. Enregistrez ses adresses chez le fournisseur, puis testez-la.',
    'connection-saved': 'La liaison est enregistrée.',
    'connection-disabled': 'La liaison est désactivée.',
    'connection-enabled': 'La liaison est activée.',
    'connection-deleted': 'La liaison est supprimée.',
    'rule-added': 'La règle est ajoutée. Elle vaut dès la prochaine connexion de chaque membre.',
    'rules-removed':
      'Les règles sont retirées. Ce qu’elles donnaient est retiré à la prochaine connexion de chaque membre.',
  },
} satisfies Texts
