import type { PendingOrganization } from '@gatehouse/proto/token/v1'
import type { AccountApp } from '../account-apps.ts'
import type { AttributeFact, AttributeInput } from '../attribute-inputs.ts'
import type { ClientAddresses } from '../client-addresses.ts'
import type { Problem } from '../form-problem.ts'
import type { PageUser } from '../page-user.ts'
import type { AccountFactors, FactorPages } from './factor-contents.ts'
import type { OrganizationPages } from './organization-contents.ts'

/** The organization in which a user acts, as pages name it. */
export type PageOrganization = Pick<
  PendingOrganization,
  'organizationId' | 'slug' | 'name' | 'logoUri' | 'color'
>

/** A form for attributes of a user. */
export type AttributesForm = {
  inputs: readonly AttributeInput[]
  timeZones: readonly string[]
  problem: Problem | undefined
}

/** The content of each page for everybody. A page with a user shows them in its head. */
export type PeoplePages = FactorPages &
  OrganizationPages & {
    login: {
      loggedInAs: string | undefined
      /** Whether a user who is logged in must log in again. */
      again: boolean
      /** Where a user who is logged in can continue, and whether that is their account page. */
      continueAt: string
      toAccount: boolean
      /**
       * Why the login that there is does not count: for an organization, with its name, an account or a page, or because it has one factor;
       * undefined where it does.
       */
      otherWay: { of: 'account' | 'factors' | 'page'; organization: string | undefined } | undefined
      /** The client whose authorization request needs the login. */
      clientId: string | undefined
      clientName: string | undefined
      /** The organization that the client named; undefined for none, and for one that there is not. */
      organization: PageOrganization | undefined
      /** A sentence about the change that was made before this page. */
      done: string | undefined
      message: string | undefined
      username: string | undefined
      returnTo: string | undefined
      /** Whether users can log in with passkeys. */
      passkeys: boolean
      /** Whether the message is about a passkey. */
      passkeyRefused: boolean
      /** The connections of the organization that takes no other login. Each has the address at which the login through it begins. */
      demanded: { title: string; href: string }[]
      /** All others. */
      providers: { title: string; href: string }[]
      /** Where an address leads to the login of an organization; undefined where none does. */
      addressHref: string | undefined
      /** Where people can sign up, and reset a password that they have lost; undefined where they cannot. */
      signUpHref: string | undefined
      resetHref: string | undefined
    }
    'organization-address': {
      returnTo: string | undefined
      address: string
      /** The most characters of an address. */
      longest: number
      /** Where people find the other ways to log in. */
      loginHref: string
      problem: string | undefined
    }
    /** The question of whether somebody who is logged in logs in through a connection. */
    'connection-login': {
      /** The name of the connection. */
      name: string
      loggedInAs: string
      /** Where the login begins. */
      href: string
      /** Where people go who do not want it. */
      stayHref: string
    }
    'sign-up': { returnTo: string | undefined; address: string; problem: string | undefined }
    'sign-up-complete': {
      token: string
      address: string
      username: string
      problem: Problem | undefined
    }
    'forgot-password': { returnTo: string | undefined; username: string; problem: string | undefined }
    'reset-password': { token: string; username: string; problem: string | undefined }
    'mail-sent': {
      /** The address to which the mail goes, when somebody signs up. People who want a new password are not told whether there is one. */
      address: string | undefined
      returnTo: string | undefined
    }
    'address-confirmed': Record<never, never>
    'confirm-address': { token: string; address: string; username: string }
    'link-over': { next: { href: string; text: string } | undefined }
    'account/address': {
      user: PageUser
      address: string | undefined
      verified: boolean
      value: string
      problem: string | undefined
    }
    consent: {
      user: PageUser
      clientName: string
      /** The first letter of the name, which stands for a logo. */
      initial: string
      addresses: ClientAddresses
      /** Whether the client registered itself, and no administrator has looked at it. */
      selfRegistered: boolean
      /** The host of the client's metadata document, if it has one. */
      documentHost: string | undefined
      /** Whether any program on the user's device could pose as the client. */
      anyProgram: boolean
      scopes: string[]
      /** The resource servers for which the client will ask for tokens. */
      resources: { name: string; identifier: string; scopes: string[] }[]
      destination: string
      organization: PageOrganization | undefined
      question: string
    }
    'choose-organization': {
      user: PageUser
      clientName: string
      organizations: readonly PageOrganization[]
      /** The answer of a user who chooses none of them; undefined where they must choose. */
      none: string | undefined
      question: string
    }
    logout: {
      username: string
      /** The client that asks the user to log out. */
      clientName: string | undefined
      /** Where they go afterwards. */
      destination: string | undefined
      question: string
    }
    start: Record<never, never>
    'form-post': {
      /** The redirect URI. */
      action: string
      fields: Readonly<Record<string, string>>
      destination: string
      /** The script that sends the form. */
      script: string
    }
    'logged-out': {
      /** Where they can go from here. */
      next: { href: string; destination: string } | undefined
    }
    account: {
      user: PageUser
      message: string | undefined
      problem: string | undefined
      /** Whether the user chose to keep other sessions and tokens when the password change failed. */
      keepAccess: boolean
      /** False when the user can log in through providers only. */
      hasPassword: boolean
      /** The accounts at providers through which the user logs in. */
      socialAccounts: { provider: string; displayName: string }[]
      /** Whether users can change their e-mail address themselves. */
      mailsOn: boolean
      /** Whether people may delete their own accounts. */
      accountDeletion: boolean
      /** Whether organizations are on. */
      organizations: boolean
      /** Whether the user has, or can have, connected accounts. */
      connections: boolean
      /** The names of the providers as a part of a sentence. */
      providerNames: string
      /** The known attributes of the user. */
      attributes: AttributeFact[]
      apps: AccountApp[]
      /** False when apps that hold tokens without a consent are missing. */
      appsComplete: boolean
      factors: AccountFactors
      sessions: {
        sessionId: string
        browser: string
        ipAddress: string
        /** Where the address is, as far as that is known. */
        place: string | undefined
        createdAt: Date
        /** When it was last used; undefined where the identity service does not say. */
        lastSeenAt: Date | undefined
        current: boolean
      }[]
      time(date: Date): string
    }
    'account/connections': {
      user: PageUser
      message: string | undefined
      /** The app whose authorization request waits, and where it continues; undefined for none. */
      waitingApp: { name: string; href: string } | undefined
      /** The accounts elsewhere that are connected. */
      links: {
        name: string
        organization: string | undefined
        displayName: string
        since: Date | undefined
        /** Why it does not work now; undefined when it does. */
        state: 'orphaned' | 'disabled' | undefined
        removeHref: string
      }[]
      /** The connections through which another one can be. */
      offers: { name: string; organization: string | undefined; href: string }[]
      time(date: Date): string
    }
    /** A question about a connected account. */
    'account/connection': {
      user: PageUser
      title: string
      heading: (name: string) => string
      name: string
      lines: readonly string[]
      problem: string | undefined
      action: string
      button: string
      /** Whether something is taken away. */
      danger: boolean
    }
    'account/deletion': { user: PageUser; problem: string | undefined }
    'account/deleted': Record<never, never>
    'account/logins': {
      user: PageUser
      logins: {
        time: Date
        browser: string
        ipAddress: string
        /** Where the address is, as far as that is known. */
        place: string | undefined
        outcome: string
        failed: boolean
      }[]
      /** The addresses of the older and of the newest ones; undefined where there are none, or they are shown. */
      older: string | undefined
      newest: string | undefined
      time(date: Date): string
    }
    'account/details': AttributesForm & {
      user: PageUser
      /** Whether users can change their e-mail address themselves. */
      mailsOn: boolean
    }
    error: {
      heading: string
      /** The explanation for people; undefined when only developers can make something of it. */
      explanation: string | undefined
      advice: string
      /** When to try again, as a sentence. */
      wait: string | undefined
      /** For developers, in English. */
      code: string
      description: string
      /** Absent when the request is not traced. */
      traceId: string | undefined
      /** Where to go from here. */
      link?: { href: string; text: string }
    }
  }
