import { type Command, Option } from 'commander'
import type { CommandDeps } from '../command.ts'
import { addList, type List, page, times } from '../list.ts'

const logins: List<'/admin/api/logins'> = {
  path: '/admin/api/logins',
  description: 'login attempts of the last 30 days, the newest first',
  options: {
    user_id: new Option('--user <id>', 'only of this user'),
    client_id: new Option('--client <id>', 'only for this client'),
    ip_address: new Option('--ip-address <address>', 'only from this address'),
    outcome: new Option('--outcome <outcome>', 'only these').choices(['succeeded', 'failed']),
    ...times,
    ...page,
  },
  columns: {
    time: 'time',
    user: (login) => login.user?.username,
    outcome: (login) => login.failure ?? login.outcome,
    method: 'method',
    client: 'client_id',
    from: 'ip_address',
    browser: 'user_agent',
  },
  nothing: 'No logins.',
}

const audit: List<'/admin/api/audit'> = {
  path: '/admin/api/audit',
  description: 'what administrators did, the newest first; --json shows the values before and after',
  options: {
    actor_id: new Option('--actor <id>', 'only what this user or client did'),
    target: new Option('--target <id>', 'only what was done to this'),
    action: new Option('--action <action>', 'only this, as client.update'),
    ...times,
    ...page,
  },
  columns: {
    time: 'time',
    actor: (entry) => entry.actor.name,
    from: (entry) => entry.actor.ip_address,
    action: 'action',
    target: 'target',
  },
  nothing: 'No actions found.',
}

const usage: List<'/admin/api/usage'> = {
  path: '/admin/api/usage',
  description: 'tokens and logins by the minute, of the last hour',
  options: { since: new Option('--since <time>', 'from this time on (RFC 3339), at most 24 hours ago') },
  columns: {
    minute: 'time',
    issued: (minute) => counted(minute.issued),
    refused: (minute) => counted(minute.refused),
    logins: 'logins',
    'failed logins': 'failed_logins',
    'active tokens': 'active_tokens',
  },
  nothing: 'Nothing happened.',
}

/** gatehouse logins …, gatehouse audit …, gatehouse usage */
export function activityCommands(program: Command, deps: CommandDeps): void {
  addList(program.command('logins').description('who tried to log in'), 'list', logins, deps)
  addList(program.command('audit').description('what administrators did'), 'list', audit, deps)
  addList(program, 'usage', usage, deps)
}

function counted(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}=${count}`)
    .join(' ')
}
