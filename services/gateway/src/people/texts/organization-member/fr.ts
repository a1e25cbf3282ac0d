import type { Texts } from './en.ts'

export const texts = {
  heading: (name) => `Groupes et rôles de ${name}`,
  groups: 'Groupes',
  noGroups: 'Cette personne n’est dans aucun groupe.',
  group: 'Groupe',
  addGroup: 'Ajouter au groupe',
  removeGroup: (group) => `Retirer du groupe ${group}`,
  remove: 'Retirer',
  noMoreGroups: 'L’organisation n’a pas d’autre groupe.',
  roles: 'Rôles',
  noRoles: 'Cette personne n’a aucun rôle.',
  role: 'Rôle',
  roleOf: (role, resource) => `${role} (${resource})`,
  byGroup: (group) => `par le groupe ${group}`,
  giveRole: 'Donner le rôle',
  takeRole: (role) => `Reprendre le rôle ${role}`,
  take: 'Reprendre',
  noMoreRoles: 'Il n’y a pas d’autre rôle que les organisations peuvent donner.',
  back: 'Retour aux membres',
  refused: 'Rien n’a été modifié : le membre, le groupe ou le rôle n’existe plus, ou le maximum est atteint.',
} satisfies Texts
