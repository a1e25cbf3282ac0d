import type { Texts } from './en.ts'

export const texts = {
  heading: (name) => `Grupos y roles de ${name}`,
  groups: 'Grupos',
  noGroups: 'No está en ningún grupo.',
  group: 'Grupo',
  addGroup: 'Añadir al grupo',
  removeGroup: (group) => `Quitar del grupo ${group}`,
  remove: 'Quitar',
  noMoreGroups: 'La organización no tiene ningún otro grupo.',
  roles: 'Roles',
  noRoles: 'No tiene ningún rol.',
  role: 'Rol',
  roleOf: (role, resource) => `${role} (${resource})`,
  byGroup: (group) => `por el grupo ${group}`,
  giveRole: 'Dar el rol',
  takeRole: (role) => `Quitar el rol ${role}`,
  take: 'Quitar',
  noMoreRoles: 'No hay otro rol que las organizaciones puedan dar.',
  back: 'Volver a los miembros',
  refused: 'No se ha cambiado nada: el miembro, el grupo o el rol ya no existe, o se ha llegado al máximo.',
} satisfies Texts
