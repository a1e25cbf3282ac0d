import { authenticationFailureReasons } from '@gatehouse/proto/client-authentication'
import { usageStepNames } from '@gatehouse/proto/usage'
import { type Command, Option } from 'commander'
import type { CommandDeps } from '../command.ts'
import { addList, type List, page, times } from '../list.ts'
import { auditExportCommand } from './audit-export.ts'
import { everything } from './everything.ts'

const logins: List<'/admin/api/logins'> = {
  path: '/admin/api/logins',
  description: 'list login attempts of the last 30 days, newest first',
  options: {
    user_id: new Option('--user <id>', 'only logins of this user'),
    client_id: new Option('--client <id>', 'only logins for this client'),
    ip_address: new Option('--ip-address <address>', 'only logins from this IP address'),
    outcome: new Option('--outcome <outcome>', 'only logins with this outcome').choices([
      'succeeded',
      'failed',
    ]),
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

const failures: List<'/admin/api/client-authentication-failures'> = {
  path: '/admin/api/client-authentication-failures',
  description: 'list client authentications that failed in the last 30 days, newest first',
  options: {
    client_id: new Option('--client <id>', 'only failures of this client'),
    ip_address: new Option('--ip-address <address>', 'only failures from this IP address'),
    reason: new Option('--reason <reason>', 'only failures for this reason').choices(
      Object.keys(authenticationFailureReasons),
    ),
    ...times,
    ...page,
  },
  columns: {
    minute: 'time',
    client: 'client_id',
    reason: 'reason',
    count: 'count',
    endpoint: 'endpoint',
    from: (failure) => failure.ip_address ?? 'several',
  },
  nothing: 'No client failed to authenticate.',
}

const audit: List<'/admin/api/audit'> = {
  path: '/admin/api/audit',
  description: 'list the actions of administrators, newest first; --json shows the values before and after',
  options: {
    actor_id: new Option('--actor <id>', 'only actions of this user or client'),
    target: new Option('--target <id>', 'only actions on this target'),
    action: new Option('--action <action>', 'only this action, such as client.update'),
    ...times,
    ...page,
  },
  columns: {
    time: 'time',
    actor: (entry) => entry.actor.name,
    from: (entry) => entry.actor.ip_address,
    browser: (entry) => entry.actor.user_agent,
    action: 'action',
    target: 'target',
  },
  nothing: 'No actions found.',
}

const usage: List<'/admin/api/usage'> = {
  path: '/admin/api/usage',
  description: 'count tokens and logins by minute, by default of the last hour',
  options: {
    since: new Option(
      '--since <time>',
      'from this time on (RFC 3339): at most 24 hours ago by minute, 31 days otherwise',
    ),
    step: new Option('--step <period>', 'how long each period is').choices(usageStepNames),
  },
  columns: {
    time: 'time',
    issued: (minute) => counted(minute.issued),
    refused: (minute) => counted(minute.refused),
    logins: 'logins',
    'failed logins': 'failed_logins',
    'active tokens': 'active_tokens',
  },
  nothing: 'Nothing happened.',
}

const overLimits: List<'/admin/api/rate-limits'> = {
  path: '/admin/api/rate-limits',
  description: 'list who is over a rate limit now',
  options: {},
  columns: {
    limit: 'limit',
    client: 'client_id',
    'ip address': 'ip_address',
    refused: 'refused',
    until: 'until',
  },
  nothing: 'Nobody is over a limit.',
}

/** gatehouse activity, gatehouse logins …, gatehouse client-authentication-failures …, gatehouse audit …, gatehouse usage, gatehouse rate-limits */
export function activityCommands(program: Command, deps: CommandDeps): void {
  addList(program, 'activity', everything, deps)
  addList(program.command('logins').description('login attempts'), 'list', logins, deps)
  const failed = program
    .command('client-authentication-failures')
    .description('clients that did not authenticate')
  addList(failed, 'list', failures, deps)
  const log = program.command('audit').description('the audit log of administrators')
  addList(log, 'list', audit, deps)
  auditExportCommand(log, deps)
  addList(program, 'usage', usage, deps)
  addList(program, 'rate-limits', overLimits, deps)
}

function counted(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}=${count}`)
    .join(' ')
}
