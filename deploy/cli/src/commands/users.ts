import { randomBytes } from 'node:crypto'
import { userSorts } from '@gatehouse/proto/lists'
import { userAttributeEntries, userAttributes } from '@gatehouse/proto/user-attributes'
import { type Command, Option } from 'commander'
import { type Api, dataOf } from '../api.ts'
import { attributeOptions } from '../attribute-options.ts'
import { adderTo, addOptions, type CommandDeps } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import type { Invitation, NewUser, User, UserChange, UserSummary } from '../generated/openapi.ts'
import { addList, filter, type List, page, sortedBy } from '../list.ts'
import { removeEmpty } from '../metadata-options.ts'
import { fields, type Output, table } from '../output.ts'
import { languageOption } from './mails.ts'
import { addUserImport } from './user-import.ts'

const list: List<'/admin/api/users'> = {
  path: '/admin/api/users',
  description: 'list users by name',
  options: {
    search: new Option('--search <text>', 'a part of the name or the e-mail address'),
    sort: sortedBy(userSorts),
    disabled: filter('disabled', 'only users who are disabled, or who are not'),
    admin: filter('admin', 'only administrators, or only others'),
    ...page,
  },
  columns: {
    id: 'user_id',
    name: 'username',
    'e-mail': 'email',
    administrator: 'admin',
    disabled: 'disabled',
  },
  nothing: 'There are no users.',
}

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
  ['promote', { admin: true }, 'make a user an administrator', 'is now an administrator'],
  ['demote', { admin: false }, 'make an administrator an ordinary user', 'is no longer an administrator'],
] as const

/** gatehouse users … */
export function userCommands(program: Command, deps: CommandDeps): void {
  const { environment } = deps
  const users = program.command('users').description('users, who may log in')
  const add = adderTo(users, deps)
  addList(users, 'list', list, deps)
  addList(users, 'sessions <user>', sessions, deps)
  addList(users, 'factors <user>', factors, deps)

  add('show <user>', 'show one user (id or name)', async (api, name: string) => {
    const { user_id: id } = await findUser(api, name)
    return shown(await dataOf(api.GET('/admin/api/users/{user_id}', at(id))))
  })

  loginProblemsCommand(add)

  const create = add(
    'create <name>',
    'create a user with the password in GATEHOUSE_NEW_PASSWORD, or a generated one that is shown only once',
    async (api, username: string) => {
      const given = environment.GATEHOUSE_NEW_PASSWORD
      const password = given || randomBytes(15).toString('base64url')
      const body = { username, password, ...newUser() }
      const user = await dataOf(api.POST('/admin/api/users', { body }))
      const text = fields({ id: user.user_id, name: user.username, administrator: user.admin })
      return given ? { json: user, text } : withPassword(password, { json: user, text })
    },
  )
  const newUser = addOptions<Omit<NewUser, 'username' | 'password'>>(create, {
    admin: new Option('--admin', 'make an administrator'),
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
  const changed = addOptions<Omit<UserChange, 'disabled' | 'admin'>>(update, attributeOptions)

  add(
    'reset-password <user>',
    'give a user (id or name) the password in GATEHOUSE_NEW_PASSWORD, or a generated one; all sessions end',
    async (api, name: string) => {
      const { user_id: id, username } = await findUser(api, name)
      const given = environment.GATEHOUSE_NEW_PASSWORD
      const body = given ? { new_password: given } : {}
      const json = await dataOf(api.POST('/admin/api/users/{user_id}/password', { ...at(id), body }))
      const text = `${username} has a new password and is logged out everywhere.`
      return withPassword(json.generated_password, { json, text })
    },
  )

  mailCommands(add)
  factorCommand(add)
  addUserImport(users, deps)
  endingCommands(add)
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

/** The command that removes factors. */
function factorCommand(add: ReturnType<typeof adderTo>): void {
  add(
    'reset-factors <user> [factor]',
    'remove all passkeys and second factors of a user (id or name), or the one with this id; all sessions end',
    async (api, name: string, factor?: string) => {
      const { user_id: id, username } = await findUser(api, name)
      const path = '/admin/api/users/{user_id}/factors'
      const json = { user_id: id, reset: true }
      if (factor === undefined) {
        await dataOf(api.DELETE(path, at(id)))
        return { json, text: `${username} has no passkeys and no second factors any more.` }
      }
      const params = { path: { user_id: id, factor_id: factor } }
      await dataOf(api.DELETE(`${path}/{factor_id}`, { params }))
      return { json, text: 'The factor is removed.' }
    },
    (name) => `Without their factors, whoever knows the password of ${name} can log in.`,
  )
}

/** The commands that end sessions and delete users. */
function endingCommands(add: ReturnType<typeof adderTo>): void {
  add(
    'end-sessions <user> [session]',
    'end all sessions of a user (id or name), or the one with this id',
    async (api, name: string, session?: string) => {
      const { user_id: id, username } = await findUser(api, name)
      const path = '/admin/api/users/{user_id}/sessions'
      const json = { user_id: id, ended: true }
      if (session === undefined) {
        await dataOf(api.DELETE(path, at(id)))
        return { json, text: `All sessions of ${username} have ended.` }
      }
      // The API accepts any session id, even an unknown one. A mistyped id should be an error here.
      const { items } = await dataOf(api.GET(path, at(id)))
      if (!items.some((item) => item.session_id === session)) {
        throw new CommandFailure(`${username} has no such session.`, exitCodes.notFound)
      }
      const params = { path: { user_id: id, session_id: session } }
      await dataOf(api.DELETE(`${path}/{session_id}`, { params }))
      return { json, text: 'The session has ended.' }
    },
  )

  add(
    'delete <user>',
    'delete a user (id or name), with their sessions and consents; their tokens are revoked',
    async (api, name: string) => {
      const { user_id: id, username } = await findUser(api, name)
      await dataOf(api.DELETE('/admin/api/users/{user_id}', at(id)))
      return { json: { user_id: id, deleted: true }, text: `${username} is deleted.` }
    },
    (name) => `This deletes ${name} with all consents and revokes their tokens. It cannot be undone.`,
  )
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Finds a user by id or name. @throws CommandFailure when there is no such user */
async function findUser(api: Api, idOrName: string): Promise<UserSummary> {
  if (uuid.test(idOrName)) return dataOf(api.GET('/admin/api/users/{user_id}', at(idOrName)))
  // Names that begin with the text come first, in alphabetical order, so the exact name is on the first page.
  const query = { search: idOrName }
  const { items } = await dataOf(api.GET('/admin/api/users', { params: { query } }))
  const found = items.find(({ username }) => username.toLowerCase() === idOrName.toLowerCase())
  if (found) return found
  throw new CommandFailure('There is no such user.', exitCodes.notFound)
}

function at(id: string) {
  return { params: { path: { user_id: id } } }
}

function shown(user: User): Output {
  const attributes = userAttributeEntries.map(([name, { label }]) => [label.toLowerCase(), user[name]])
  const text = fields({
    id: user.user_id,
    name: user.username,
    administrator: user.admin,
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
