import type { Texts } from './en.ts'

export const texts = {
  heading: (name) => `Gruppen und Rollen von ${name}`,
  groups: 'Gruppen',
  noGroups: 'Diese Person ist in keiner Gruppe.',
  group: 'Gruppe',
  addGroup: 'In die Gruppe aufnehmen',
  removeGroup: (group) => `Aus der Gruppe ${group} entfernen`,
  remove: 'Entfernen',
  noMoreGroups: 'Die Organisation hat keine weitere Gruppe.',
  roles: 'Rollen',
  noRoles: 'Diese Person hat keine Rolle.',
  role: 'Rolle',
  roleOf: (role, resource) => `${role} (${resource})`,
  byGroup: (group) => `durch die Gruppe ${group}`,
  giveRole: 'Rolle geben',
  takeRole: (role) => `Rolle ${role} nehmen`,
  take: 'Nehmen',
  noMoreRoles: 'Es gibt keine weitere Rolle, die Organisationen vergeben dürfen.',
  back: 'Zurück zu den Mitgliedern',
  refused:
    'Es wurde nichts geändert: Mitglied, Gruppe oder Rolle gibt es nicht mehr, oder es sind so viele, wie es sein dürfen.',
} satisfies Texts
