/** The consent page, and the words for scopes, which the account page also shows. */
export const texts = {
  title: (app: string) => `Allow ${app}?`,
  heading: (app: string) => `${app} wants access to your account`,
  document: (host: string) =>
    `This app is not registered here. Its name and its description come from ${host}.`,
  selfRegistered: 'Nobody has checked this app.',
  anyProgram:
    'This app runs on your own device, and any other program there can pose as it. Allow this only if you have just started the app yourself.',
  lead: (user: string, app: string) => `You are logged in as ${user}. If you allow it, ${app} can:`,
  destination: (destination: string) =>
    `Afterwards you go back to ${destination}. Allow this only if you came from there.`,
  allow: 'Allow',
  deny: 'Deny',
  withdraw: (link: string) => `You can withdraw this access at any time in ${link}.`,
  yourAccount: 'your account',
  aboutApp: (app: string) => `About ${app}`,
  policy: 'Privacy policy',
  terms: 'Terms of service',
  noDecision: 'The decision is missing: allow or deny.',
  over: 'This page was answered already or is too old. Go back to the app and start again if it still needs access.',
  sessionOver: 'Your session ended while this page was open, so the app got no access.',
  /** The app of a private-use scheme, where a web app's host would stand. */
  appOfScheme: (scheme: string) => `the app ${scheme}`,
  scopes: {
    known: {
      read: 'Read your data',
      write: 'Change your data',
      profile: 'See your name and profile',
      email: 'See your e-mail address',
      openid: 'Recognize you when you log in',
      offline_access: 'Keep its access while you are away',
    },
    /** Where organizations are on; elsewhere these scopes have no meaning of their own. */
    ofOrganizations: {
      organization: 'See the name of the organization',
      groups: 'See the groups that you are in',
      roles: 'See the roles that you have',
    },
    other: (scope: string) => `Use “${scope}”`,
    ofServer: (server: string, words: string) => `${server}: ${words}`,
  },
  /** The permissions of scopes for details that the user does not have yet. A consent also counts for details that they add later. */
  laterScopes: {
    email: 'See your e-mail address, once you have one here',
    profile: 'See your user name, and your profile once you fill it in',
  },
}

/** These texts in one language. */
export type Texts = typeof texts
