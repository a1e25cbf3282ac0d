import { describe, expect, test } from 'vitest'
import { decideOrganization, readOrganization } from '../../src/organizations/organization-of-request.ts'
import { usersClient } from '../clients/clients.ts'
import { membership, organizationId, organizationsOf, unaskedOrganizations } from './organizations.ts'

const acme = membership()
const globex = membership({ organizationId: organizationId(2), slug: 'globex', name: 'Globex' })
const members = { both: [acme, globex], one: [acme], none: [] }

type Mode = 'off' | 'optional' | 'required'
function decide(
  organizations: Mode,
  userId: keyof typeof members | undefined,
  { named, chosen, onlyIn }: { named?: string; chosen?: string | 'none'; onlyIn?: string[] } = {},
) {
  const { organizations: directory, asked } = organizationsOf(members)
  const client = usersClient({ metadata: { organizations } })
  const choice = chosen === undefined ? undefined : { organizationId: chosen === 'none' ? undefined : chosen }
  const decided = decideOrganization(
    { client, named: readOrganization(named) },
    { userId, choice, onlyIn },
    directory,
  )
  return { decided, asked }
}
const refusal = (description: string) => ({
  state: 'refused',
  refusal: expect.objectContaining({ code: 'access_denied', description }),
})
const notTheirs = refusal('The user cannot act in this organization.')
const inIt = (one: typeof acme) => ({ state: 'in', membership: one })

describe('a client', () => {
  test.each([
    ['that knows no organizations', { organizations: 'off' } as const],
    ['from a registry that does not know the field', {}],
  ])('%s acts in none, whatever it names, and nobody is asked', async (_, metadata) => {
    const client = usersClient({ metadata })
    const user = { userId: 'both', choice: { organizationId: organizationId(1) } }
    expect(await decideOrganization({ client, named: 'acme' }, user, unaskedOrganizations)).toEqual({
      state: 'none',
    })
  })

  test('acts in none where the switch is off', async () => {
    const client = usersClient({ metadata: { organizations: 'required' } })
    const user = { userId: 'both', choice: undefined }
    expect(await decideOrganization({ client, named: 'acme' }, user, undefined)).toEqual({ state: 'none' })
  })
})

test.each<[mode: Mode, who: 'both' | 'one' | 'none', expected: unknown]>([
  ['required', 'both', { state: 'choose', choices: [acme, globex], mayChooseNone: false }],
  ['required', 'one', inIt(acme)],
  ['required', 'none', refusal('The user is in no organization, and the client needs one.')],
  ['optional', 'both', { state: 'choose', choices: [acme, globex], mayChooseNone: true }],
  ['optional', 'one', { state: 'choose', choices: [acme], mayChooseNone: true }],
  ['optional', 'none', { state: 'none' }],
])('where organizations are %s and none is named, a user who is in %s', async (mode, who, expected) => {
  expect(await decide(mode, who).decided).toEqual(expected)
})

test('before somebody logs in nothing is decided, and nobody is asked', async () => {
  const { decided, asked } = decide('required', undefined, { named: 'acme' })
  expect(await decided).toEqual({ state: 'undecided' })
  expect(asked).toEqual([])
})

describe.each<Mode>(['optional', 'required'])('where organizations are %s, one that is named', (mode) => {
  test.each(['acme', organizationId(1)])('is taken by its slug or its id: %s', async (named) => {
    expect(await decide(mode, 'both', { named }).decided).toEqual(inIt(acme))
  })

  test.each(['globex', organizationId(2), organizationId(9), 'nobody'])(
    'is refused in one and the same way if there is none, or the user is no member of it: %s',
    async (named) => {
      expect(await decide(mode, 'one', { named }).decided).toEqual(notTheirs)
    },
  )

  test.each(['-', 'ACME', 'a b', "'", 'x'.repeat(10_000), 'a\0', 'org_1'])(
    'is refused so too, and not kept, if no organization can have the name: %j',
    async (named) => {
      const { decided, asked } = decide(mode, 'both', { named })
      expect(await decided).toEqual(notTheirs)
      expect(asked).toEqual([])
      expect(readOrganization(named)).toBe('-')
    },
  )

  test('counts more than what the user chose', async () => {
    const chosen = organizationId(2)
    expect(await decide(mode, 'both', { named: 'acme', chosen }).decided).toEqual(inIt(acme))
  })

  test('is none if it is empty', async () => {
    expect((await decide(mode, 'both', { named: '' }).decided).state).toBe('choose')
  })
})

describe('a choice', () => {
  test('is taken while the user is a member', async () => {
    expect(await decide('optional', 'both', { chosen: organizationId(2) }).decided).toEqual(inIt(globex))
  })

  test.each([organizationId(2), organizationId(9), 'forged'])(
    'of an organization in which they are not is refused, and not replaced by another: %s',
    async (chosen) => {
      expect(await decide('required', 'one', { chosen }).decided).toEqual(notTheirs)
    },
  )

  test('of none counts only where the client needs none by now', async () => {
    expect(await decide('optional', 'both', { chosen: 'none' }).decided).toEqual({ state: 'none' })
    expect((await decide('required', 'both', { chosen: 'none' }).decided).state).toBe('choose')
  })
})

describe.each<Mode>(['optional', 'required'])(
  'where organizations are %s, a user whose logins count in some organizations alone',
  (mode) => {
    const within = (onlyIn: string[], asked: { named?: string; chosen?: string | 'none' } = {}) =>
      decide(mode, 'both', { ...asked, onlyIn }).decided

    test('acts in the only one, without a question', async () => {
      expect(await within([organizationId(1)])).toEqual(inIt(acme))
    })

    test('chooses among those alone, and never none', async () => {
      expect(await within([organizationId(1), organizationId(2)])).toEqual({
        ...{ state: 'choose', choices: [acme, globex], mayChooseNone: false },
      })
      expect(await within([organizationId(1), organizationId(2)], { chosen: organizationId(2) })).toEqual(
        inIt(globex),
      )
    })

    test.each(['acme', organizationId(1)])('may name one of those: %s', async (named) => {
      expect(await within([organizationId(1)], { named })).toEqual(inIt(acme))
    })

    test.each(['globex', organizationId(2), organizationId(9), 'nobody', '-'])(
      'learns of no other whether they are a member there, nor is anybody asked another question: %s',
      async (named) => {
        const { decided, asked } = decide(mode, 'both', { named, onlyIn: [organizationId(1)] })
        expect(await decided).toEqual({ state: 'no_login' })
        expect(asked).toEqual([{ userId: 'both' }])
        expect(await within([organizationId(1)], { chosen: named })).toEqual({ state: 'no_login' })
      },
    )

    test('acts nowhere once they have left it', async () => {
      expect(await decide(mode, 'none', { onlyIn: [organizationId(1)] }).decided).toEqual({
        state: 'no_login',
      })
    })
  },
)
