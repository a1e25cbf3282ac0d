import type { AccountApp } from './account-apps.ts'

/** The user of the session, as pages show them. */
export type PageUser = { username: string; admin: boolean }

/** The content of each page for everybody. A page with a user shows them in its head. */
export type PeoplePages = {
  login: {
    loggedInAs: string | undefined
    /** The client whose authorization request needs the login. */
    clientId: string | undefined
    clientName: string | undefined
    message: string | undefined
    username: string | undefined
    returnTo: string | undefined
    /** Each with the address at which the login through it begins. */
    providers: { title: string; href: string }[]
  }
  consent: {
    user: PageUser
    clientName: string
    scopes: string[]
    /** The resource servers for which the client will ask for tokens. */
    resources: { name: string; identifier: string; scopes: string[] }[]
    destination: string
    question: string
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
    apps: AccountApp[]
    /** False when apps that hold tokens without a consent are missing. */
    appsComplete: boolean
    sessions: {
      sessionId: string
      browser: string
      ipAddress: string
      createdAt: Date
      current: boolean
    }[]
    time(date: Date): string
  }
  error: {
    heading: string
    description: string
    advice: string
    code: string
    /** Where to go from here. */
    link?: { href: string; text: string }
  }
}
