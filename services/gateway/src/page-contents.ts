import type { AccountApp } from './account-apps.ts'

/** The person whose session it is, as pages show them. */
export type PageUser = { username: string; admin: boolean }

/** What each page for everybody shows; every one shows the user in its head, where there is one. */
export type PeoplePages = {
  login: {
    loggedInAs: string | undefined
    /** Of the authorization request that the login is for. */
    clientId: string | undefined
    clientName: string | undefined
    message: string | undefined
    username: string | undefined
    returnTo: string | undefined
    /** Where a login through each provider begins. */
    providers: { title: string; href: string }[]
  }
  consent: {
    user: PageUser
    clientName: string
    scopes: string[]
    destination: string
    question: string
  }
  account: {
    user: PageUser
    message: string | undefined
    problem: string | undefined
    /** Whether the user wanted to keep other sessions and tokens when the change of the password failed. */
    keepAccess: boolean
    /** False: the user logs in through providers only. */
    hasPassword: boolean
    /** What the user is called where they log in. */
    socialAccounts: { provider: string; displayName: string }[]
    apps: AccountApp[]
    /** False: apps that hold tokens without a consent are missing. */
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
