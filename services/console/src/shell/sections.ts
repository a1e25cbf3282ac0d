/** The sections of the console: the name of the text, the path, and the part of the administration that it needs. */
export const sections = [
  { name: 'dashboard', path: '/', area: 'activity' },
  { name: 'start', path: '/start', area: 'clients', writes: true },
  { name: 'clients', path: '/clients', area: 'clients' },
  { name: 'users', path: '/users', area: 'users' },
  { name: 'groups', path: '/groups', area: 'groups' },
  { name: 'organizations', path: '/organizations', area: 'organizations' },
  { name: 'connections', path: '/connections', area: 'connections' },
  { name: 'resources', path: '/resources', area: 'resources' },
  { name: 'tokens', path: '/tokens', area: 'tokens' },
  { name: 'activity', path: '/activity', area: 'activity' },
  { name: 'keys', path: '/keys', area: 'keys' },
  { name: 'mails', path: '/mails', area: 'mails' },
  { name: 'events', path: '/events', area: 'events' },
] as const
