import type { PageUser } from '../page-user.ts'
import type { ConnectionPages } from './connection-contents.ts'
import type { InOrganization } from './in-organization.ts'

/** A role in an organization, with its word. */
type OfferedRole = { name: string; text: string }

/** The content of each page about organizations. */
export type OrganizationPages = ConnectionPages & {
  'organizations/list': {
    user: PageUser
    message: string | undefined
    organizations: { href: string; name: string; role: string; since: Date | undefined }[]
    time(date: Date): string
  }
  'organizations/overview': Omit<InOrganization, 'problem'> & {
    role: string
    /** Whether they may look at members, invitations and domains, and at settings. */
    manages: boolean
    owns: boolean
  }
  'organizations/members': InOrganization & {
    search: string
    members: {
      userId: string
      username: string
      name: string
      email: string | undefined
      role: string
      since: Date | undefined
      disabled: boolean
      isUser: boolean
      /** The roles that they may get, with the one that they have; empty where they may not be changed. */
      roles: (OfferedRole & { chosen: boolean })[]
      removal: string
    }[]
    /** The addresses of the next and of the first page; undefined where there is none, or it is shown. */
    next: string | undefined
    first: string | undefined
    time(date: Date): string
  }
  'organizations/member': InOrganization & {
    /** The path of this page. */
    own: string
    name: string
    /** Each with what a form names it by; undefined where it cannot be taken. */
    groups: { name: string; which: string | undefined }[]
    /** With the name of the group by which they have the role; undefined for one of their own. */
    roles: { name: string; group: string | undefined; which: string | undefined }[]
    groupsToGive: { name: string; which: string }[]
    rolesToGive: { name: string; which: string }[]
  }
  'organizations/invitations': InOrganization & {
    /** Whether this server sends mails. */
    mailsOn: boolean
    address: string
    roles: (OfferedRole & { chosen: boolean })[]
    invitations: {
      invitationId: string
      address: string
      role: string
      by: string
      sent: Date
      expires: Date
      expired: boolean
      /** Whether the user may send it again and withdraw it. */
      changeable: boolean
      withdrawal: string
    }[]
    next: string | undefined
    first: string | undefined
    time(date: Date): string
  }
  'organizations/domains': InOrganization & {
    typed: string
    domains: {
      domain: string
      state: 'unproven' | 'proven' | 'missing' | 'lost'
      recordName: string
      recordValue: string
      provenAt: Date | undefined
      checkedAt: Date | undefined
      missingSince: Date | undefined
      removal: string
    }[]
    time(date: Date): string
  }
  'organizations/settings': InOrganization & {
    revision: string
    name: string
    logo: string
    color: string
    secondFactor: boolean
    ssoRequired: boolean
    /** Whether that is demanded now; undefined where it was not set. */
    ssoInEffect: boolean | undefined
  }
  'organizations/question': {
    user: PageUser
    title: string
    /** The same around a name. */
    heading: (name: string) => string
    name: string
    lines: string[]
    problem: string | undefined
    action: string
    /** The hidden fields of the form. */
    fields: Readonly<Record<string, string>>
    button: string
    back: { href: string; name: string }
  }
  'organizations/join': {
    user: PageUser | undefined
    organization: string
    /** The name of whoever invites; empty where it is a program. */
    inviter: string
    role: string
    address: string
    invitationId: string
    /** The visitor of the page: the user with the address, one with another address or who has not confirmed it, or nobody. */
    visitor: 'invited' | 'other' | 'unverified' | 'nobody'
    problem: string | undefined
    logInHref: string
    /** Where somebody without an account signs up; undefined where they cannot. */
    signUpHref: string | undefined
    /** Whether a user has the address. */
    known: boolean
  }
}
