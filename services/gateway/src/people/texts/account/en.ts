/** The account page. */
export const texts = {
  heading: 'Your account',
  back: 'Back to your account',
  loggedInAs: (user: string) => `You are logged in as ${user}.`,
  administrator: (user: string) => `You are logged in as ${user}, an administrator.`,
  details: 'Your details',
  noDetails: 'Nothing is known about you but your user name.',
  changeDetails: 'Change your details',
  apps: 'Apps with access to your account',
  since: (time: string) => `since ${time}`,
  withdraw: 'Withdraw',
  withdrawFrom: (app: string) => `Withdraw the access of ${app}`,
  withdrawHint:
    'When you withdraw the access of an app, it stops working at once. It gets access again only when you log in with it again.',
  noApps: 'None. Apps that you use with your account are listed here.',
  appsMissing: 'Some apps may be missing here at the moment. Look again in a minute.',
  deletedApp: (clientId: string) => `${clientId} (deleted)`,
  sessions: 'Where you are logged in',
  thisBrowser: 'this browser',
  from: (address: string) => `from ${address}`,
  logOut: 'Log out',
  logOutHere: 'Log out here',
  logOutOf: (browser: string, since: string) => `Log out ${browser}, since ${since}`,
  providers: 'How you log in',
  as: (name: string) => `as ${name}`,
  done: {
    session: 'That session has ended.',
    app: 'The access is withdrawn: the app’s tokens no longer work.',
    details: 'Your details are saved.',
    password: 'Your password is changed. Your other sessions have ended, and apps have lost their access.',
    'password-only': 'Your password is changed. Your other sessions and your apps keep their access.',
  },
  whole: 'What is stored about you',
  lastUsed: (time: string) => `last used ${time}`,
  place: (city: string, country: string) => `${city}, ${country}`,
  browsers: {
    programOn: (device: string) => `A program on ${device}`,
    unknown: 'An unknown program',
    on: (browser: string, device: string) => `${browser} on ${device}`,
  },
}

/** These texts in one language. */
export type Texts = typeof texts
