/** The page with the groups and roles of a member of an organization. */
export const texts = {
  heading: (name: string) => `Groups and roles of ${name}`,
  groups: 'Groups',
  noGroups: 'They are in no group.',
  group: 'Group',
  addGroup: 'Add to the group',
  removeGroup: (group: string) => `Remove from the group ${group}`,
  remove: 'Remove',
  noMoreGroups: 'The organization has no other group.',
  roles: 'Roles',
  noRoles: 'They have no role.',
  role: 'Role',
  roleOf: (role: string, resource: string) => `${role} (${resource})`,
  byGroup: (group: string) => `by the group ${group}`,
  giveRole: 'Give the role',
  takeRole: (role: string) => `Take the role ${role}`,
  take: 'Take away',
  noMoreRoles: 'There is no other role that organizations may give.',
  back: 'Back to the members',
  refused:
    'Nothing was changed: the member, the group or the role is not there any more, or there are as many as there may be.',
}

/** These texts in one language. */
export type Texts = typeof texts
