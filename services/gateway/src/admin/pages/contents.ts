import type { KeyState } from '@gatehouse/admin-api/signing-keys'
import type { SystemOverview } from '@gatehouse/admin-api/system-overview'
import type { resourceServerFields } from '@gatehouse/proto/resource-servers'
import type { AttributeFact } from '../../attribute-inputs.ts'
import type { AccountFactors } from '../../factor-contents.ts'
import type { Problem } from '../../form-problem.ts'
import type { AttributesForm, PageUser } from '../../page-contents.ts'
import type { ClientFailureFacts, LoginFacts, UserLogins } from './login-contents.ts'
import type { MetadataInput } from './metadata-inputs.ts'

/** The content that every page for administrators has. */
export type AdminPage = {
  user: PageUser
  /** The sections that they may see. */
  sections: readonly (readonly [path: string, name: string, ...unknown[]])[]
  /** What was just done. */
  message: string | undefined
  /** Formats a time. */
  time(date: Date | undefined): string
}

/** One page of a list. */
type List<Item> = {
  items: readonly Item[]
  /** The address of the next page; empty on the last. */
  next: string
  /** The address of the first page; empty on the first. */
  first: string
}

type Status = { text: string; kind: 'on' | 'off' | 'plain' }

/** A client as lists and its page show it. */
export type ClientFacts = {
  clientId: string
  name: string
  redirectUris: readonly string[]
  grantTypes: readonly string[]
  scope: string
  authentication: string
  statuses: readonly Status[]
  disabled: boolean
  createdAt: Date | undefined
  revision: string
  /** Other fields of the metadata document that are set. */
  metadata: readonly MetadataInput[]
  /** When each of its secrets expires; undefined for never. */
  secretsEnd: readonly (Date | undefined)[]
}

/** The values in the form for a client: those that were sent, or the client's current ones. */
export type ClientForm = {
  name: string
  redirectUris: string
  grantTypes: readonly { name: string; meaning: string; checked: boolean }[]
  scope: string
  firstParty: boolean
  publicClient: boolean
  metadata: readonly MetadataInput[]
}

/** A resource server as lists and its page show it. */
export type ResourceFacts = {
  resourceId: string
  identifier: string
  name: string
  scopes: readonly { scope: string; description: string }[]
  /** Seconds; undefined for that of the client. */
  tokenLifetime?: number | undefined
  clientId: string
  statuses: readonly Status[]
  disabled: boolean
  createdAt: Date | undefined
}

/** The values in the form for a resource server: those that were sent, or the current ones. */
export type ResourceForm = {
  identifier: string
  name: string
  /** A line for each scope: the scope, a space and its words. */
  scopes: string
  tokenLifetime: string
  clientId: string
  openRegistration: boolean
}

/** A mail in a list. */
export type MailFacts = {
  mailId: string
  userId: string
  recipient: string
  /** What it is, in words. */
  kind: string
  language: string
  state: 'waiting' | 'sent' | 'failed'
  attempts: number
  createdAt: Date | undefined
  dueAt: Date | undefined
  endedAt: Date | undefined
  failure: string
}

/** An access token in a list. */
export type TokenFacts = {
  jti: string
  /** Seconds since the Unix epoch. */
  exp: number
  clientId: string
  userId: string
  username: string
  scope: string
  issuedAt: Date | undefined
  expiresAt: Date | undefined
  revoked: boolean
}

/** A user as lists and the user's page show them. */
export type UserFacts = {
  userId: string
  username: string
  /** The title of their role in the administration; undefined for none. */
  role: string | undefined
  disabled: boolean
  hasPassword: boolean
  createdAt: Date | undefined
  /** Empty when it is not known. */
  name: string
  email: string
  /** Every attribute that the user has. */
  attributes: readonly AttributeFact[]
  /** Whether the user is the administrator who looks at the page. */
  self: boolean
}

/** A field of a question. */
export type QuestionField = {
  name: string
  label: string
  hint: string
  /** Absent when the field is for a password. */
  options?: readonly { value: string; label: string; selected: boolean }[]
  /** The user whose password it is, for the browser's password manager. */
  username?: string
}

/** What an administrator confirms before an action that breaks something. */
export type Question = {
  heading: string
  /** What will happen, one or more sentences each. */
  consequences: readonly string[]
  button: string
  /** The page to return to without doing it. */
  back: string
  section: string
  hidden?: Readonly<Record<string, string>>
  field?: QuestionField
}

/** The keys of an algorithm. */
export type KeyTable = {
  algorithm: string
  /** The tokens that are signed with it, in words; empty when it signs none. */
  signs: readonly string[]
  items: readonly {
    kid: string
    state: KeyState
    createdAt: Date | undefined
    activatesAt: Date | undefined
    verifiesUntil: Date | undefined
  }[]
}

/** The content of each page for administrators. */
export type AdminPages = {
  'admin/dashboard': AdminPage & {
    clients: string
    users: string
    system: SystemOverview
  }
  'admin/clients': AdminPage & List<ClientFacts> & { search: string; total: string }
  'admin/client': AdminPage & {
    client: ClientFacts
    usage: { lastUsedAt: Date | undefined; issued: string } | undefined
  }
  'admin/client-form': AdminPage & {
    /** Undefined for a new client. */
    client: { clientId: string; revision: string } | undefined
    form: ClientForm
    problem: Problem | undefined
    /** The current values of the fields that somebody else has changed since the form was shown. */
    meanwhile: readonly { label: string; value: string }[]
  }
  'admin/resources': AdminPage & List<ResourceFacts> & { search: string; total: string }
  'admin/resource': AdminPage & { resource: ResourceFacts }
  'admin/resource-form': AdminPage & {
    /** Undefined for a new resource server. */
    resource: { resourceId: string; identifier: string; revision: string } | undefined
    form: ResourceForm
    fields: typeof resourceServerFields
    problem: Problem | undefined
  }
  'admin/secret': AdminPage & {
    heading: string
    section: string
    facts: Readonly<Record<string, string>>
    secretName: string
    secret: string
    note: string
    back: string
  }
  'admin/confirm': AdminPage & Question & { action: string; problem: string | undefined }
  'admin/tokens': AdminPage & List<TokenFacts> & { of: string; ofPath: string; problem: string | undefined }
  'admin/users': AdminPage & List<UserFacts> & { search: string; total: string }
  'admin/user': AdminPage & {
    account: UserFacts
    providers: readonly { provider: string; displayName: string; linkedAt: Date | undefined }[]
    factors: AccountFactors
    logins: UserLogins
    sessions: readonly {
      sessionId: string
      browser: string
      ipAddress: string
      /** Where the address is, as far as that is known. */
      place: string | undefined
      createdAt: Date | undefined
      lastSeenAt: Date | undefined
      current: boolean
    }[]
  }
  'admin/user-form': AdminPage &
    AttributesForm & {
      /** Undefined for a new user. */
      account: { userId: string; username: string } | undefined
      form: { username: string; roles: NonNullable<QuestionField['options']> }
    }
  'admin/keys': AdminPage & { tables: readonly KeyTable[] }
  'admin/audit': AdminPage &
    List<{
      time: Date | undefined
      actor: string
      actorId: string
      ipAddress: string
      action: string
      target: string
      targetPath: string
      /** A line for each changed field. */
      changes: readonly string[]
    }> & { actorId: string; target: string }
  'admin/logins': AdminPage &
    List<LoginFacts> & {
      /** The user or client that the list is limited to; empty for none. */
      of: string
      filter: { user_id: string; client_id: string; ip_address: string; outcome: string }
    }
  'admin/client-authentication-failures': AdminPage &
    List<ClientFailureFacts> & {
      filter: { client_id: string; ip_address: string; reason: string }
      /** Each value of the filter with its words. */
      reasons: readonly (readonly [string, string])[]
    }
  'admin/mails': AdminPage &
    List<MailFacts> & {
      filter: { user_id: string; recipient: string; state: string }
    }
  'admin/mail': AdminPage & {
    mail: MailFacts
    /** Absent where mails go to a mail server. */
    text: { subject: string; text: string } | undefined
    /** The address of its link. */
    link: string | undefined
  }
  'admin/error': AdminPage & {
    heading: string
    description: string
    advice: string
    code: string
    section: string
    link: { href: string; text: string }
  }
}
