import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type {
  PublicKeyCredentialCreationOptionsJSON as CreationOptions,
  PublicKeyCredentialRequestOptionsJSON as RequestOptions,
} from '@simplewebauthn/server'

/** The behaviour of an authenticator, and its faults. */
export type Behaviour = {
  origin: string
  rpId: string
  /** Whether it verifies its user, by a finger or a PIN. */
  verifies: boolean
  /** Whether somebody touched it. */
  present: boolean
  /** Whether its passkeys may be copied to other devices, and are. */
  synced: boolean
  /** Added to the counter with each signature. */
  counts: number
  /** The type in the client data; by default that of the ceremony. */
  type?: string
  userHandle?: string | undefined
  crossOrigin?: boolean
  topOrigin?: string
}

const usual: Behaviour = {
  origin: 'https://auth.example',
  rpId: 'auth.example',
  verifies: true,
  present: true,
  synced: false,
  counts: 1,
}

/** A software authenticator with one passkey, and the browser before it. */
export type Authenticator = {
  behaviour: Behaviour
  counter: number
  credentialId: Buffer
  /** Answers PublicKeyCredentialCreationOptions. Both are JSON. */
  create(options: string | undefined, changes?: Partial<Behaviour>): string
  /** Answers PublicKeyCredentialRequestOptions. */
  get(options: string | undefined, changes?: Partial<Behaviour>): string
  /** An authenticator with a copy of the same key. */
  copy(): Authenticator
}

/** Creates an authenticator. The key pair is given for a copy. */
export function createAuthenticator(
  changes: Partial<Behaviour> = {},
  key: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  credentialId = randomBytes(32),
  handle: { userHandle?: string } = {},
): Authenticator {
  const behaviour = { ...usual, ...changes }

  /** WebAuthn Level 3 section 6.1. */
  const authenticatorData = ({ rpId, verifies, present, synced }: Behaviour, attested?: Buffer) => {
    const flags =
      (present ? 1 : 0) | (verifies ? 4 : 0) | (synced ? 0x18 : 0) | (attested === undefined ? 0 : 0x40)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(authenticator.counter)
    const rpIdHash = createHash('sha256').update(rpId).digest()
    return Buffer.concat([rpIdHash, Buffer.from([flags]), counter, attested ?? Buffer.alloc(0)])
  }

  const clientDataOf = (type: string, challenge: string, as: Behaviour) =>
    Buffer.from(
      JSON.stringify({
        type: as.type ?? type,
        challenge,
        origin: as.origin,
        crossOrigin: as.crossOrigin ?? false,
        topOrigin: as.topOrigin,
      }),
    )

  const id = credentialId.toString('base64url')
  const shared = { id, rawId: id, type: 'public-key', clientExtensionResults: {} }

  const authenticator: Authenticator = {
    behaviour,
    counter: 0,
    credentialId,
    create(options, more = {}) {
      const as = { ...behaviour, ...more }
      const { challenge, user } = JSON.parse(options ?? 'null') as CreationOptions
      handle.userHandle = user.id
      const length = Buffer.from([credentialId.length >> 8, credentialId.length & 0xff])
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey(key.publicKey)])
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0])],
        ...[text('authData'), bytes(authenticatorData(as, attested))],
      ])
      return JSON.stringify({
        ...shared,
        response: {
          clientDataJSON: clientDataOf('webauthn.create', challenge, as).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal', 'something new'],
        },
      })
    },
    get(options, more = {}) {
      const as = { ...behaviour, ...more }
      const { challenge } = JSON.parse(options ?? 'null') as RequestOptions
      authenticator.counter += as.counts
      const clientData = clientDataOf('webauthn.get', challenge, as)
      const data = authenticatorData(as)
      const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()])
      return JSON.stringify({
        ...shared,
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', signed, key.privateKey).toString('base64url'),
          userHandle: 'userHandle' in as ? as.userHandle : handle.userHandle,
        },
      })
    },
    copy() {
      const copied = createAuthenticator(behaviour, key, credentialId, handle)
      copied.counter = authenticator.counter
      return copied
    },
  }
  return authenticator
}

/** An ES256 key in COSE (RFC 9053 section 7.1.1). */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const header = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01])
  const coordinates = [x, y].map((text) => bytes(Buffer.from(text, 'base64url')))
  return Buffer.concat([
    header,
    Buffer.from([0x21]),
    coordinates[0] as Buffer,
    Buffer.from([0x22]),
    coordinates[1] as Buffer,
  ])
}

/** CBOR (RFC 8949 section 3): a byte string shorter than 65,536 bytes, and a short text. */
function bytes(content: Buffer): Buffer {
  const { length } = content
  const head = length < 256 ? [0x58, length] : [0x59, length >> 8, length & 255]
  return Buffer.concat([Buffer.from(head), content])
}

function text(content: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + content.length]), Buffer.from(content)])
}
