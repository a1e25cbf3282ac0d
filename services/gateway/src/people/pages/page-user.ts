/** The user of the session, as pages show them. */
export type PageUser = {
  username: string
  admin: boolean
  adminRole?: string | undefined
  /** The page to which the head leads instead of the account page, where their login does not open that. */
  home?: { href: string; name: string }
}
