import { unchecked } from '@gatehouse/http/schemas'
import { UserImportOutcome, type UserImportResult } from '@gatehouse/proto/identity/v1'
import { mostImportedPasswords, mostImportedUsers } from '@gatehouse/proto/imports'
import { attributesIn } from '@gatehouse/proto/people/user-attributes'
import { type Static, Type } from '@gatehouse/proto/typebox'
import { upstreamProviderNames } from '@gatehouse/proto/upstream-providers'
import { checkedOneByOne, commonFields, dryRunField, resultList } from './import-item.ts'
import { attributeFields, userExample } from './user-body.ts'

/** An imported user. */
export const importedUserSchema = Type.Object(
  {
    username: Type.String(),
    user_id: Type.Optional(
      Type.String({
        description: 'A UUID that the user keeps, so that apps know them again; by default a new one.',
      }),
    ),
    password_hash: Type.Optional(
      Type.String({
        description:
          'The hash of the password: argon2, bcrypt, PBKDF2 or scrypt, in the PHC string format or as Django, Spring, Kratos, passlib and others write it. It is replaced at the user’s first login.',
      }),
    ),
    password: Type.Optional(
      Type.String({
        description: `The password itself, as for a new user. At most ${mostImportedPasswords} users of a request may have one.`,
      }),
    ),
    ...commonFields('user'),
    admin: Type.Optional(
      Type.Boolean({ description: 'Whether the user is an administrator, if `allow_admins` is true.' }),
    ),
    social_accounts: Type.Optional(
      Type.Array(
        Type.Object(
          {
            provider: Type.String(unchecked({ enum: [...upstreamProviderNames] })),
            subject: Type.String({
              description:
                'The provider’s id for the account; for Microsoft the tenant’s and the user’s with / between them.',
            }),
            display_name: Type.Optional(Type.String()),
          },
          { additionalProperties: false },
        ),
      ),
    ),
    ...attributeFields,
  },
  { additionalProperties: false, title: 'ImportedUser' },
)

/** The users of a request. */
export const userImportSchema = Type.Object(
  {
    users: Type.Array(checkedOneByOne(importedUserSchema), {
      maxItems: mostImportedUsers,
      description: 'An invalid user fails alone.',
    }),
    ...dryRunField,
    allow_admins: Type.Optional(
      Type.Boolean({ description: 'Whether the import may create administrators; by default not.' }),
    ),
  },
  {
    title: 'UserImport',
    examples: [{ users: [{ username: 'ann', password_hash: '<HASH>', email: 'ann@example.com' }] }],
  },
)

/** The result of an import of users. */
export const userImportResultSchema = Type.Object(
  {
    results: resultList('a user of this name', { user_id: Type.Optional(Type.String({ format: 'uuid' })) }),
  },
  {
    title: 'UserImportResult',
    description: 'What became of each user.',
    examples: [{ results: [{ outcome: 'created', user_id: userExample.user_id }] }],
  },
)

/** A result for one user, as JSON. */
export type ImportResultBody = Static<typeof userImportResultSchema>['results'][number]

/** An imported user as a message to the identity service. */
export function importedUser(item: Static<typeof importedUserSchema>) {
  return {
    username: item.username,
    // An empty text is none, as other systems write it.
    userId: item.user_id || undefined,
    passwordHash: item.password_hash || undefined,
    password: item.password || undefined,
    disabled: item.disabled ?? false,
    admin: item.admin ?? false,
    createdAt: item.created_at === undefined ? undefined : new Date(item.created_at),
    attributes: attributesIn(item),
    socialAccounts: (item.social_accounts ?? []).map(({ provider, subject, display_name: name = '' }) => ({
      provider,
      subject,
      displayName: name,
    })),
  }
}

const outcomes: Partial<Record<UserImportOutcome, ImportResultBody['outcome']>> = {
  [UserImportOutcome.USER_IMPORT_OUTCOME_CREATED]: 'created',
  [UserImportOutcome.USER_IMPORT_OUTCOME_EXISTS]: 'exists',
}

/** A result of the identity service, as JSON. */
export function importResult({ outcome, userId, reason }: UserImportResult): ImportResultBody {
  return {
    outcome: outcomes[outcome] ?? 'invalid',
    ...(userId !== undefined && { user_id: userId }),
    ...(reason !== undefined && { reason }),
  }
}
