import type { Texts } from './en.ts'

export const texts = {
  heading: (connection) => `Test de ${connection}`,
  works: 'La connexion fonctionne. Personne n’a été connecté, et rien n’a été enregistré.',
  fails: 'La connexion ne fonctionne pas. Rien n’a été enregistré.',
  would: 'Ce que ferait une connexion',
  mapped: 'Ce que donne la correspondance',
  existing: (username) => `${username} serait connecté.`,
  created: 'Un nouvel utilisateur serait créé.',
  groups: 'Groupes',
  roles: 'Rôles',
  roleOf: (role, resource) => `${role} (${resource})`,
  nothing: 'La correspondance ne donne rien.',
  remarks: 'Règles sans effet',
  claims: 'Ce que le fournisseur a dit',
  noClaims: 'Le fournisseur n’a rien dit.',
  claim: 'Claim',
  value: 'Valeur',
  again: 'Tester de nouveau',
  back: 'Retour à la liaison',
  problems: {
    unknownLogin: 'Le test est trop ancien, ou a été commencé dans un autre navigateur. Recommencez-le.',
    denied: 'La connexion a été annulée chez le fournisseur, ou il l’a refusée.',
    unreachable:
      'Le fournisseur ne répond pas à temps. Vérifiez l’émetteur, et que ce serveur peut le joindre.',
    badAnswer:
      'La réponse du fournisseur n’est pas valide. Vérifiez l’identifiant du client, le secret ou la clé, l’émetteur et les valeurs acr.',
    disabled: 'L’utilisateur à qui appartient ce compte est désactivé.',
    noConnection:
      'La liaison est désactivée, ou son organisation l’est. Activez-la avant que quelqu’un se connecte.',
    notInvited: 'Personne n’a lié ce compte, et la liaison ne crée pas d’utilisateur pour cette personne.',
    hasAccount:
      'Un utilisateur a déjà cette adresse. Il se connecte une fois autrement, et lie le compte sur la page de son compte.',
    noMember: 'L’utilisateur qui a lié ce compte n’est pas membre de l’organisation.',
    linkedToOther: 'Le compte est lié à un autre utilisateur.',
    session: 'Vous avez été déconnecté entre-temps, ou vous ne pouvez pas tester cette liaison.',
    full: 'L’organisation a autant de membres qu’elle le peut.',
    other: 'La connexion a été refusée.',
  },
} satisfies Texts
