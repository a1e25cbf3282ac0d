import { Option } from 'commander'
import { findClientId } from '../finding/find-client.ts'
import { findUserId } from '../finding/find-user.ts'
import { type List, page, times } from '../list.ts'

/** Logins, failed client authentications and actions of administrators in one list. */
export const everything: List<'/admin/api/activity'> = {
  path: '/admin/api/activity',
  description:
    'list what happened in the last 30 days, newest first: logins, clients that did not authenticate, actions of administrators',
  options: {
    kind: new Option('--kind <kind>', 'only activity of this kind').choices([
      'login',
      'client_authentication_failure',
      'action',
    ]),
    user_id: new Option('--user <user>', 'only what this user (id or name) did, or what was done to them'),
    client_id: new Option('--client <client>', 'only what concerns this client (id or name)'),
    ip_address: new Option('--ip-address <address>', 'only what came from this IP address'),
    outcome: new Option('--outcome <outcome>', 'only what failed, or only what succeeded').choices([
      'succeeded',
      'failed',
    ]),
    ...times,
    ...page,
  },
  async resolve({ user_id: user, client_id: client, ...query }, api) {
    return {
      ...query,
      ...(user !== undefined && { user_id: await findUserId(api, user) }),
      ...(client !== undefined && { client_id: await findClientId(api, client) }),
    }
  },
  columns: {
    time: 'time',
    kind: 'kind',
    who: (item) => {
      if (item.kind === 'login') return item.user?.username
      return item.kind === 'action' ? item.actor.name : item.client_id
    },
    what: (item) => {
      if (item.kind === 'login') return item.failure ?? item.outcome
      return item.kind === 'action' ? item.action : item.reason
    },
    'client or target': (item) => (item.kind === 'action' ? item.target : item.client_id),
    from: (item) => (item.kind === 'action' ? item.actor.ip_address : (item.ip_address ?? 'several')),
  },
  nothing: 'Nothing happened.',
}
