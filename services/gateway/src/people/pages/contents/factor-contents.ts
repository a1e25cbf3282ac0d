import type { FactorPlace } from '../return-to.ts'

/** The fields that a form on a page about factors sends along. */
type PlaceContent = { of: FactorPlace; returnTo: string | undefined }

/** A user's factors, as the account page shows them. */
export type AccountFactors = {
  passkeys: readonly {
    passkeyId: string
    name: string
    createdAt: Date
    lastUsedAt: Date | undefined
    /** Whether it may be on several devices. */
    backedUp: boolean
  }[]
  app: { createdAt: Date; lastUsedAt: Date | undefined } | undefined
  recoveryCodesLeft: number
  /** Where to add one; undefined where this server offers none. */
  passkeyHref: string | undefined
  appHref: string | undefined
}

type User = { username: string; admin: boolean }

/** The content of the pages about passkeys and second factors. A page with a user shows them in its head. */
export type FactorPages = {
  'second-factor': PlaceContent & {
    username: string
    /** JSON for the page's script; undefined when the user has no passkey. */
    passkeyOptions: string | undefined
    /** Whether the user has an authenticator app. */
    app: boolean
    recoveryCodesLeft: number
    message: string | undefined
    /** Whether the message is about a recovery code. */
    recovering: boolean
    loginHref: string
  }
  enrol: {
    username: string
    of: FactorPlace
    /** undefined when there is nothing of this kind to enrol. */
    passkeyHref: string | undefined
    appHref: string | undefined
  }
  'enrol-passkey': PlaceContent & {
    /** JSON for the page's script. */
    options: string
    name: string
    problem: string | undefined
  }
  'enrol-app': PlaceContent & {
    secret: string
    uri: string
    /** The QR code, as SVG. */
    picture: string
    problem: string | undefined
  }
  'recovery-codes': {
    user?: User
    codes: readonly string[]
    /** Whether they replace earlier ones. */
    replaced: boolean
    /** Where to go on. */
    next: string
  }
  'account/passkey': {
    user: User
    id: string
    name: string
    /** Whether it is the user's last factor. */
    last: boolean
    problem: string | undefined
  }
  'account/question': {
    user: User
    heading: string
    lines: readonly string[]
    action: string
    button: string
    problem: string | undefined
  }
}
