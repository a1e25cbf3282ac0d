import { randomBytes } from 'node:crypto'
import type { Invitation, User, UserChange, UserToCreate } from '@gatehouse/admin-api/generated/openapi'
import { users as definition } from '@gatehouse/proto/administered/users'
import { adminRoleNames } from '@gatehouse/proto/administration'
import { userAttributeEntries, userAttributes } from '@gatehouse/proto/people/user-attributes'
import { type Command, Option } from 'commander'
import { addAdministeredList } from '../administered-list.ts'
import { dataOf } from '../api.ts'
import { attributeOptions } from '../attribute-options.ts'
import { adderTo, addOptions, type CommandDeps } from '../command.ts'
import { at, findUser } from '../finding/find-user.ts'
import { addList, type List } from '../list.ts'
import { removeEmpty } from '../metadata-options.ts'
import { fields, type Output, table } from '../output.ts'
import { secretVariable } from '../secret-variable.ts'
import { invitationCommands } from './invitations.ts'
import { languageOption } from './mails.ts'
import { userAccessCommands } from './user-access.ts'
import { addUserImport } from './user-import.ts'

const sessions: List<'/admin/api/users/{user_id}/sessions'> = {
  path: '/admin/api/users/{user_id}/sessions',
  description: 'list the sessions of a user (id or name)',
  options: {},
  of: async (name, api) => ({ user_id: (await findUser(api, name)).user_id }),
  columns: {
    id: 'session_id',
    created: 'created_at',
    expires: 'expires_at',
    from: 'ip_address',
    browser: 'user_agent',
  },
  nothing: 'No sessions.',
}

const factors: List<'/admin/api/users/{user_id}/factors'> = {
  path: '/admin/api/users/{user_id}/factors',
  description: 'list the passkeys and second factors of a user (id or name)',
  options: {},
  of: async (name, api) => ({ user_id: (await findUser(api, name)).user_id }),
  columns: {
    id: 'factor_id',
    kind: 'kind',
    name: 'name',
    created: 'created_at',
    'last used': 'last_used_at',
  },
  nothing: 'No passkeys and no second factors.',
}

const changes = [
  [
    'disable',
    { disabled: true },
    'disable a user (id or name): sessions end and tokens are revoked at once',
    'is disabled',
  ],
  ['enable', { disabled: false }, 'enable a user (id or name)', 'is enabled'],
  ['promote', { admin: true }, 'make a user an owner, who may do everything', 'is now an owner'],
  ['demote', { admin: false }, 'make an administrator an ordinary user', 'has no role any more'],
] as const

/** gatehouse users … */
export function userCommands(program: Command, deps: CommandDeps): void {
  const { environment } = deps
  const users = program.command('users').description('users, who may log in')
  const add = adderTo(users, deps)
  addAdministeredList(users, definition, '/admin/api/users', deps)
  addList(users, 'sessions <user>', sessions, deps)
  addList(users, 'factors <user>', factors, deps)

  add('show <user>', 'show one user (id or name)', async (api, name: string) => {
    const { user_id: id } = await findUser(api, name)
    return shown(await dataOf(api.GET('/admin/api/users/{user_id}', at(id))))
  })

  loginProblemsCommand(add)
  invitationCommands(users, deps)

  const create = add(
    'create <name>',
    'create a user with the password in GATEHOUSE_NEW_PASSWORD, or a generated one that is shown only once',
    async (api, username: string) => {
      const given = secretVariable('GATEHOUSE_NEW_PASSWORD', environment)
      const password = given || randomBytes(15).toString('base64url')
      const body = { username, password, ...newUser() }
      const user = await dataOf(api.POST('/admin/api/users', { body }))
      const text = fields({ id: user.user_id, name: user.username, role: user.admin_role })
      return given ? { json: user, text } : withPassword(password, { json: user, text })
    },
  )
  const newUser = addOptions<Omit<UserToCreate, 'username' | 'password'>>(create, {
    admin: new Option('--admin', 'make an owner, who may do everything'),
    admin_role: new Option('--role <role>', 'what they may do in the administration').choices(adminRoleNames),
    ...attributeOptions,
  })

  const update = add(
    'update <user>',
    'change attributes of a user (id or name); an empty value removes one',
    async (api, name: string) => {
      const { user_id: id } = await findUser(api, name)
      const body = removeEmpty(changed(), userAttributes)
      return shown(await dataOf(api.PATCH('/admin/api/users/{user_id}', { ...at(id), body })))
    },
  )
  const changed = addOptions<Omit<UserChange, 'disabled' | 'admin' | 'admin_role' | 'revision'>>(
    update,
    attributeOptions,
  )

  add(
    'reset-password <user>',
    'give a user (id or name) the password in GATEHOUSE_NEW_PASSWORD, or a generated one; all sessions end',
    async (api, name: string) => {
      const { user_id: id, username } = await findUser(api, name)
      const given = secretVariable('GATEHOUSE_NEW_PASSWORD', environment)
      const body = given ? { new_password: given } : {}
      const json = await dataOf(api.POST('/admin/api/users/{user_id}/password', { ...at(id), body }))
      const text = `${username} has a new password and is logged out everywhere.`
      return withPassword(json.generated_password, { json, text })
    },
  )

  tokenPreviewCommand(add)
  mailCommands(add)
  userAccessCommands(add)
  addUserImport(users, deps)
  for (const [command, body, description, done] of changes) {
    add(`${command} <user>`, description, async (api, name: string) => {
      const { user_id: id, username } = await findUser(api, name)
      const user = await dataOf(api.PATCH('/admin/api/users/{user_id}', { ...at(id), body }))
      return { json: user, text: `${username} ${done}.` }
    })
  }
}

/** The command that says why a user cannot log in. */
function loginProblemsCommand(add: ReturnType<typeof adderTo>): void {
  add('login-problems <user>', 'say why a user (id or name) cannot log in', async (api, name: string) => {
    const { user_id: id } = await findUser(api, name)
    const json = await dataOf(api.GET('/admin/api/users/{user_id}/login-problems', at(id)))
    const problems = json.problems.map(({ explanation, remedy, until, ip_address: from }) =>
      [explanation, ...(from ? [`From ${from}.`] : []), ...(until ? [`Until ${until}.`] : []), remedy]
        .filter(Boolean)
        .join(' '),
    )
    const found = problems.length > 0 ? problems.join('\n') : 'Nothing stands in the way of a login.'
    const failed = { time: 'time', failure: 'failure', from: 'ip_address', browser: 'user_agent' } as const
    const last = table(json.last_failures, failed, 'No login failed in the last 30 days.')
    return { json, text: `${found}\n\n${last}` }
  })
}

/** The command that says what tokens would contain. */
function tokenPreviewCommand(add: ReturnType<typeof adderTo>): void {
  const preview = add(
    'token-preview <user> <client>',
    'say what tokens a client would get for a user (id or name) now; none is issued',
    async (api, name: string, clientId: string) => {
      const { user_id: id } = await findUser(api, name)
      const query = { client_id: clientId, ...asked() }
      const params = { path: { user_id: id }, query }
      const json = await dataOf(api.GET('/admin/api/users/{user_id}/token-preview', { params }))
      const parts = { 'Access token': json.access_token, 'ID token': json.id_token, Userinfo: json.userinfo }
      const text = Object.entries(parts)
        .filter(([, claims]) => claims !== undefined)
        .map(([title, claims]) => `${title}:\n${JSON.stringify(claims, null, 2)}`)
      const { refused } = json
      return { json, text: refused ? `No tokens: ${refused.error_description}` : text.join('\n\n') }
    },
  )
  const asked = addOptions<{ scope?: string; resource?: string; organization?: string }>(preview, {
    scope: new Option('--scope <scope>', 'the scope that it asks for; by default all that it may have'),
    resource: new Option('--resource <identifiers>', 'resource servers, with spaces between them'),
    organization: new Option('--organization <organization>', 'the organization (id or slug) of the user'),
  })
}

/** The commands that send mails with links. */
function mailCommands(add: ReturnType<typeof adderTo>): void {
  const invite = add(
    'invite <address>',
    'send somebody a mail with which they create an account',
    async (api, email: string) => {
      const json = await dataOf(api.POST('/admin/api/invitations', { body: { email, ...invited() } }))
      return { json, text: `The invitation goes to ${email}.` }
    },
  )
  const { email: _, email_verified: __, ...options } = attributeOptions
  const invited = addOptions<Omit<Invitation, 'email'>>(invite, { language: languageOption, ...options })

  for (const [command, kind, description] of linkMails) {
    add(`${command} <user>`, description, async (api, name: string) => {
      const { user_id: id, username } = await findUser(api, name)
      const json = await dataOf(api.POST('/admin/api/users/{user_id}/mails', { ...at(id), body: { kind } }))
      return { json, text: `A mail with a link goes to ${username}.` }
    })
  }
}

const linkMails = [
  ['send-reset', 'password_reset', 'send a user (id or name) a mail to choose a new password'],
  ['send-confirmation', 'address', 'send a user (id or name) a mail to confirm their e-mail address'],
] as const

function shown(user: User): Output {
  const attributes = userAttributeEntries.map(([name, { label }]) => [label.toLowerCase(), user[name]])
  const text = fields({
    id: user.user_id,
    name: user.username,
    role: user.admin_role,
    password: user.has_password,
    'social accounts': user.social_accounts.map(({ provider }) => provider),
    ...Object.fromEntries(attributes.filter(([, value]) => value !== undefined)),
    disabled: user.disabled,
    created: user.created_at,
  })
  return { json: user, text }
}

/** Adds a generated password to the output. */
function withPassword(password: string | undefined, { json, text }: { json: object; text: string }): Output {
  if (!password) return { json, text }
  const line = `Password (it is not shown again):  ${password}`
  return { json: { ...json, generated_password: password }, text: `${text}\n${line}` }
}
