import { createHash } from 'node:crypto'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import fc from 'fast-check'
import { type Passkey, provePasskey } from '../../../services/identity/src/factors/passkey.ts'
import { readRegistration } from '../../../services/identity/src/factors/passkey-registration.ts'
import { userHandleOf } from '../../../services/identity/src/factors/webauthn.ts'
import { createAuthenticator } from '../../../services/identity/test/factors/authenticator.ts'
import { json, texts } from '../inputs.ts'
import { must, target, unlessRefusedLater } from '../target.ts'

const challenge = 'c'.repeat(43)
const digest = createHash('sha256').update(challenge).digest()
const user = { id: '01990000-0000-4000-8000-000000000001', username: 'ann', admin: false, disabled: false }
const owner = { kind: 'session', digest: Buffer.alloc(32, 1), expiresAt: undefined } as const
const deps = {
  // The one challenge is open for ever, and any other never was.
  challenges: {
    add: async () => undefined,
    spend: async ({ challengeDigest }: { challengeDigest: Buffer }) => challengeDigest.equals(digest),
  },
  randomBytes: (count: number) => Buffer.alloc(count, 7),
  relyingParty: { id: 'auth.example', origin: 'https://auth.example' },
  emit: () => undefined,
  // One for all inputs would keep what it was told.
  get log() {
    return recordedLog().log
  },
  randomUuid: () => user.id,
}
const authenticator = createAuthenticator()
const userHandle = Buffer.from(userHandleOf(user.id)).toString('base64url')
const created = authenticator.create(JSON.stringify({ challenge, user: { id: userHandle } }))
const registered = await readRegistration(owner, { answer: created, name: 'key' }, deps)
if (registered === undefined) throw new Error('the right answer was not taken')
const passkey = { ...registered, createdAt: new Date(0), usedAt: undefined, user } as unknown as Passkey
const answered = authenticator.get(JSON.stringify({ challenge }))
const store = {
  find: async (id: Buffer) => (id.equals(passkey.credentialId) ? passkey : undefined),
  use: async () => 'used' as const,
}

const members = [
  'id',
  'rawId',
  'response',
  'clientDataJSON',
  'authenticatorData',
  'signature',
  'userHandle',
  'attestationObject',
  'transports',
]

/** Answers in which any member is any other value. */
const replaced = (answer: string) =>
  fc.tuple(fc.constantFrom(...members), json(2)).map(([member, value]) => {
    const changed = JSON.parse(answer)
    if (member in changed) changed[member] = value
    else changed.response[member] = value
    return JSON.stringify(changed)
  })

/** Bytes of a member that were changed. */
const flipped = (answer: string, of: readonly string[]) =>
  fc.tuple(fc.constantFrom(...of), fc.nat(), fc.nat(255), fc.nat(40)).map(([member, at, value, cut]) => {
    const changed = JSON.parse(answer)
    const bytes = Buffer.from(changed.response[member], 'base64url')
    bytes[at % bytes.length] = value
    changed.response[member] = bytes
      .subarray(0, cut === 0 ? at % bytes.length : undefined)
      .toString('base64url')
    return JSON.stringify(changed)
  })

const answers = fc.oneof(
  texts(['{', '}', '"id":', '"response":', '[', ']', ','], fc.constant(answered)),
  replaced(answered),
  flipped(answered, ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']),
)

/** Answers of passkeys: only one whose signed bytes are those that were signed proves anything. */
const proofs = target({
  name: 'passkey',
  reads: ['identity/src/factors/passkey.ts#provePasskey'],
  inputs: answers,
  async check(answer) {
    const ceremony = { purpose: 'second_factor', ownerDigest: owner.digest } as const
    const proof = await unlessRefusedLater(() =>
      provePasskey(answer, ceremony, { userId: user.id }, { ...deps, passkeys: store }),
    )
    if (proof?.outcome !== 'right') {
      must(answer !== answered, 'the right answer is wrong')
      return
    }
    const [sent, original] = [answer, answered].map((text) => JSON.parse(text).response)
    for (const member of ['clientDataJSON', 'authenticatorData'])
      must(
        Buffer.from(sent[member], 'base64url').equals(Buffer.from(original[member], 'base64url')),
        `another ${member}`,
      )
  },
})

/** Answers with new passkeys. */
const registrations = target({
  name: 'passkey-registration',
  reads: ['identity/src/factors/passkey-registration.ts#readRegistration'],
  inputs: fc.oneof(
    texts(['{', '}', '"id":', '"response":', '[', ']', ','], fc.constant(created)),
    replaced(created),
    flipped(created, ['clientDataJSON', 'attestationObject']),
  ),
  async check(answer) {
    const made = await unlessRefusedLater(() => readRegistration(owner, { answer, name: 'key' }, deps))
    if (made === undefined) must(answer !== created, 'the right answer is wrong')
    else
      must(
        made.credentialId.length > 0 && made.credentialId.length < 1_024,
        'an id that no authenticator has',
      )
  },
})

/** Targets of passkeys. */
export const passkeyTargets = [proofs, registrations]
