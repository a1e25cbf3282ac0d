import type { CDPSession, Page } from 'playwright-core'

/** The abilities of a virtual authenticator; by default those of the fingerprint reader of a laptop. */
export type AuthenticatorOptions = {
  transport?: 'internal' | 'usb'
  hasResidentKey?: boolean
  hasUserVerification?: boolean
  isUserVerified?: boolean
  /** Whether new passkeys may be copied to other devices, and are. */
  synced?: boolean
}

/** A passkey in a virtual authenticator, as Chromium gives it. */
export type StoredPasskey = {
  credentialId: string
  isResidentCredential: boolean
  rpId?: string
  privateKey: string
  userHandle?: string
  signCount: number
}

/** A virtual authenticator of Chromium, by the Chrome DevTools Protocol. It belongs to a page. */
export type VirtualAuthenticator = {
  passkeys(): Promise<StoredPasskey[]>
  /** Adds a passkey, for example a copy of one from another authenticator. */
  add(passkey: StoredPasskey): Promise<void>
  /** Whether its user passes the verification. */
  verifyUser(passes: boolean): Promise<void>
  /** Whether somebody touches it when it asks. Until then it waits. */
  touch(present: boolean): Promise<void>
  remove(): Promise<void>
}

/** Gives a page a virtual authenticator. */
export async function addAuthenticator(
  page: Page,
  { synced = false, ...options }: AuthenticatorOptions = {},
): Promise<VirtualAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: synced,
      defaultBackupState: synced,
      ...options,
    },
  })
  return {
    async passkeys() {
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials
    },
    async add(credential) {
      await session.send('WebAuthn.addCredential', { authenticatorId, credential })
    },
    async verifyUser(isUserVerified) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    async touch(enabled) {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    },
    async remove() {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}
