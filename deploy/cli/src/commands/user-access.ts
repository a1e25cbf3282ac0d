import { adminRoleNames, isAdminRole } from '@gatehouse/proto/administration'
import { dataOf } from '../api.ts'
import type { adderTo } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { at, findUser } from '../finding/find-user.ts'

/** The commands that change what a user may do, or end what they have. */
export function userAccessCommands(add: ReturnType<typeof adderTo>): void {
  roleCommand(add)
  factorCommand(add)
  unlockCommand(add)
  endingCommands(add)
}

/** The command that gives roles. */
function roleCommand(add: ReturnType<typeof adderTo>): void {
  add(
    'set-role <user> <role>',
    `give a user (id or name) a role in the administration: ${adminRoleNames.join(', ')} or none`,
    async (api, name: string, role: string) => {
      if (role !== 'none' && !isAdminRole(role))
        throw new CommandFailure(
          `"${role}" must be one of ${adminRoleNames.join(', ')}, none.`,
          exitCodes.usage,
        )
      const { user_id: id, username } = await findUser(api, name)
      const body = { admin_role: role === 'none' ? null : role }
      const user = await dataOf(api.PATCH('/admin/api/users/{user_id}', { ...at(id), body }))
      const text =
        role === 'none' ? `${username} has no role any more.` : `${username} has the role ${role} now.`
      return { json: user, text }
    },
  )
}

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

/** The command that lets a user try passwords again. */
function unlockCommand(add: ReturnType<typeof adderTo>): void {
  add(
    'unlock <user>',
    'let a user (id or name) try passwords again after wrong ones',
    async (api, name: string) => {
      const { user_id: id, username } = await findUser(api, name)
      await dataOf(api.POST('/admin/api/users/{user_id}/unlock', at(id)))
      return { json: { user_id: id, unlocked: true }, text: `${username} can try passwords again.` }
    },
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

  add(
    'erase <user>',
    'erase what the audit log says of a deleted user (id): names, addresses, browsers and changed values; the entries stay',
    async (api, id: string, { email }: { email?: string }) => {
      const body = email ? { email } : {}
      const json = await dataOf(api.POST('/admin/api/users/{user_id}/erasure', { ...at(id), body }))
      return { json, text: `Entries of which values were erased: ${json.erased_entries}` }
    },
    (id) => `This erases what the audit log says of ${id}. It cannot be undone.`,
  ).option('--email <address>', 'an address of theirs: also from invitations to it and contacts of clients')
}
