import { actorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import { adminRoleNames, adminRoleOf, adminRoles } from '@gatehouse/proto/administration'
import { MailLinkPurpose } from '@gatehouse/proto/mail/v1'
import type { FastifyRequest } from 'fastify'
import type { Question } from './contents.ts'
import { afterwards, sendAdminPage } from './page.ts'
import { askFirst, formOf, unlessGone } from './question.ts'
import { pathOf, roleOptions, userOf } from './user.ts'

const section = '/admin/users'

type UserDeps = Pick<AdminDeps, 'identity' | 'tokens' | 'mails'> & {
  /** Whether OpenID Connect is on. */
  openid: boolean
}

/** An action on a user that is confirmed first. */
type UserQuestion = {
  name: string
  heading(username: string): string
  consequences(deps: Pick<UserDeps, 'openid'>): readonly string[]
  button: string
  /** The message afterwards. */
  done: Parameters<typeof afterwards>[2]
  /** The page to show afterwards; absent for the user's page. */
  afterwards?: string
  act(userId: string, request: FastifyRequest, deps: UserDeps): Promise<unknown>
}

const keep = { admin: undefined, disabled: undefined, attributes: undefined }

const questions: readonly UserQuestion[] = [
  {
    name: 'disable',
    heading: (name) => `Disable ${name}?`,
    consequences: () => [
      'The user is logged out everywhere and cannot log in.',
      'Apps that act for the user stop at once: their tokens and codes are revoked. Enabling the user does not restore them.',
    ],
    button: 'Disable user',
    done: 'user-disabled',
    act: (userId, request, { identity }) =>
      identity.updateUser({ ...keep, userId, disabled: true, actor: actorOf(request) }),
  },
  {
    name: 'enable',
    heading: (name) => `Enable ${name}?`,
    consequences: () => ['The user can log in again with the same password and gets new tokens.'],
    button: 'Enable user',
    done: 'user-enabled',
    act: (userId, request, { identity }) =>
      identity.updateUser({ ...keep, userId, disabled: false, actor: actorOf(request) }),
  },
  {
    name: 'reset-mail',
    heading: (name) => `Send ${name} a mail to reset the password?`,
    consequences: () => [
      'The mail goes to the user’s verified e-mail address. Its link works once, within one hour.',
      'Nothing changes until the user follows the link and chooses a new password.',
    ],
    button: 'Send the mail',
    done: 'mail-sent',
    act: (userId, request, { mails }) =>
      mails.sendUserLink({
        userId,
        purpose: MailLinkPurpose.MAIL_LINK_PURPOSE_PASSWORD_RESET,
        actor: actorOf(request),
      }),
  },
  {
    name: 'end-sessions',
    heading: (name) => `Log ${name} out?`,
    consequences: ({ openid }) => [
      'The chosen session ends, or all of them. The user can log in again.',
      openid
        ? 'Apps lose the access that they were given in it, except with the scope offline_access.'
        : 'Apps keep their access: their tokens do not depend on sessions.',
    ],
    button: 'Log out user',
    done: 'sessions-ended',
    act: (userId, request, { identity }) => {
      const sessionId = formOf(request).session_id ?? ''
      return identity.endUserSessions({ userId, sessionId, actor: actorOf(request) })
    },
  },
  {
    name: 'reset-factors',
    heading: (name) => `Remove passkeys and second factors of ${name}?`,
    consequences: () => [
      'The chosen one is removed, or all of them with the recovery codes. This cannot be undone. The user is logged out everywhere.',
      'Do this only for a user whom you have recognized: without a second factor, whoever knows the password can log in.',
      'Where OAUTH2_MFA demands two factors, the user enrols a new one at the next login.',
    ],
    button: 'Remove',
    done: 'factors-reset',
    act: (userId, request, { identity }) => {
      const factorId = formOf(request).factor_id ?? ''
      return identity.resetFactors({ userId, factorId, actor: actorOf(request) })
    },
  },
  {
    name: 'end-tokens',
    heading: (name) => `Revoke all tokens of ${name}?`,
    consequences: () => [
      'Apps that act for the user stop at once: their access tokens, refresh tokens and codes are revoked.',
      'Consents stay: an app gets new tokens when the user next logs in to it.',
    ],
    button: 'Revoke tokens',
    done: 'tokens-ended',
    act: async (userId, request, deps) => {
      await userOf(userId, deps)
      return deps.tokens.endTokensOf({ of: { $case: 'userId', value: userId }, actor: actorOf(request) })
    },
  },
  {
    name: 'delete',
    heading: (name) => `Delete ${name}?`,
    consequences: () => [
      'The user is deleted, with their sessions, consents and links to social providers. This cannot be undone. Their tokens and codes are revoked at once.',
      'A new user may have the same name, but never the same id, by which apps know users.',
    ],
    button: 'Delete user',
    done: 'user-deleted',
    afterwards: section,
    act: (userId, request, { identity }) =>
      unlessGone(identity.deleteUser({ userId, actor: actorOf(request) })),
  },
]

/** Declares the actions on a user, each of which is confirmed first. */
export function userQuestions(app: App, deps: UserDeps): void {
  for (const { name, heading, consequences, button, done, act, ...question } of questions) {
    askFirst(app, {
      url: `${section}/:id/${name}`,
      async ask(userId, request): Promise<Question> {
        const { username } = await userOf(userId, deps)
        return {
          heading: heading(username),
          consequences: consequences(deps),
          button,
          back: pathOf(userId),
          section,
          hidden: hiddenIn(request),
        }
      },
      async act(userId, request, reply) {
        await act(userId, request, deps)
        return afterwards(reply, question.afterwards ?? pathOf(userId), done)
      },
    })
  }
  passwordQuestion(app, deps)
  roleQuestion(app, deps)
}

function passwordQuestion(app: App, deps: UserDeps): void {
  askFirst(app, {
    url: `${section}/:id/password`,
    ask: async (userId) => {
      const { username } = await userOf(userId, deps)
      return {
        heading: `Reset the password of ${username}?`,
        consequences: [
          'The current password stops working, and the user is logged out everywhere.',
          'Apps that act for the user stop at once: their tokens and codes are revoked.',
        ],
        button: 'Reset password',
        back: pathOf(userId),
        section,
        field: {
          name: 'new_password',
          label: 'New password',
          hint: 'At least 12 characters. If you leave it empty, one is generated and shown once on the next page.',
          username,
        },
      }
    },
    async act(userId, request, reply) {
      const newPassword = formOf(request).new_password ?? ''
      const { username } = await userOf(userId, deps)
      const { generatedPassword } = await deps.identity.resetPassword({
        userId,
        newPassword,
        actor: actorOf(request),
      })
      if (generatedPassword === '') return afterwards(reply, pathOf(userId), 'password-set')
      return sendAdminPage(request, reply, 'admin/secret', {
        heading: 'The new password',
        section,
        facts: { User: username },
        secretName: 'Password',
        secret: generatedPassword,
        note: 'Copy it now: it is not shown again. The user can change it on the account page.',
        back: pathOf(userId),
      })
    },
  })
}

function roleQuestion(app: App, deps: UserDeps): void {
  askFirst(app, {
    url: `${section}/:id/role`,
    ask: async (userId) => {
      const user = await userOf(userId, deps)
      const role = adminRoleOf(user) ?? ''
      return {
        heading: `Change the role of ${user.username}?`,
        consequences: adminRoleNames.map(
          (name) => `${adminRoles[name].title}: ${adminRoles[name].description}`,
        ),
        button: 'Change role',
        back: pathOf(userId),
        section,
        field: {
          name: 'role',
          label: 'Role',
          hint: 'It counts at once. Apps lose the tokens that they have from a user who gets a role; sessions stay.',
          options: roleOptions(role),
        },
      }
    },
    async act(userId, request, reply) {
      const { role = '' } = formOf(request)
      const admin = role === 'owner'
      await deps.identity.updateUser({ ...keep, userId, admin, adminRole: role, actor: actorOf(request) })
      return afterwards(reply, pathOf(userId), 'role-changed')
    },
  })
}

/** What a question is about besides its user: a session or a factor, which the page's form sends along. */
function hiddenIn({ method, url, body }: FastifyRequest): Record<string, string> {
  const query = new URL(url, 'http://localhost').searchParams
  const sent = method === 'POST' ? (body as Record<string, string> | undefined) : Object.fromEntries(query)
  const names = ['session_id', 'factor_id']
  return Object.fromEntries(names.flatMap((name) => (sent?.[name] ? [[name, sent[name]]] : [])))
}
