/** The purpose of a link in a mail. */
export type MailLinkPurpose = 'sign_up' | 'password_reset' | 'address' | 'organization'

/** A kind of mail. */
type MailKind = {
  /** The name of the kind, for administrators. */
  readonly label: string
  /** The purpose of its link, and the lifetime of the link in seconds; absent for a mail without a link that can be used once. */
  readonly link?: { readonly purpose: MailLinkPurpose; readonly lifetime: number }
}

/** In seconds. */
const hour = 3_600
const week = 604_800

/** Every kind of mail that the server sends, by its name. */
export const mailKinds = {
  sign_up: { label: 'Sign-up', link: { purpose: 'sign_up', lifetime: hour } },
  sign_up_known: { label: 'Sign-up with an address that has an account' },
  invitation: { label: 'Invitation', link: { purpose: 'sign_up', lifetime: week } },
  password_reset: { label: 'Password reset', link: { purpose: 'password_reset', lifetime: hour } },
  password_changed: { label: 'Password changed' },
  address: { label: 'Address confirmation', link: { purpose: 'address', lifetime: hour } },
  address_changed: { label: 'Address changed' },
  new_login: { label: 'New login' },
  factor_added: { label: 'Second factor added' },
  factor_removed: { label: 'Second factor removed' },
  account_connected: { label: 'Account elsewhere connected' },
  recovery_code_used: { label: 'Recovery code used' },
  account_deleted: { label: 'Account deleted by its user' },
  organization_invitation: {
    label: 'Invitation to an organization',
    link: { purpose: 'organization', lifetime: week },
  },
  domain_missing: { label: 'DNS record of a domain missing' },
  domain_lost: { label: 'Domain lost' },
} as const satisfies Record<string, MailKind>

/** The name of a kind of mail. */
export type MailKindName = keyof typeof mailKinds

/** The names of all kinds of mail. */
export const mailKindNames = Object.keys(mailKinds) as MailKindName[]

/** The link of a kind of mail, if it has one. */
export function linkOfMail(kind: MailKindName): MailKind['link'] {
  const { link }: MailKind = mailKinds[kind]
  return link
}
