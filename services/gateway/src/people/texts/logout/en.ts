/** The page that asks whether to log out, and the one that comes afterwards. */
export const texts = {
  title: 'Log out?',
  heading: (brand: string) => `Log out of ${brand}?`,
  loggedInAs: (user: string) => `You are logged in as ${user}.`,
  asked: (app: string) => `${app} asks you to log out.`,
  explanation: 'Logging out ends your session in this browser. The apps that you logged in to are told.',
  destination: (destination: string) => `Afterwards you go to ${destination}.`,
  submit: 'Log out',
  stay: 'Stay logged in',
  noDecision: 'The decision is missing.',
  over: 'This page was answered already or is too old. Open your account to log out.',
  loggedOut: {
    heading: 'You are logged out',
    lead: 'You can close this page now.',
    continueTo: (destination: string) => `Continue to ${destination}`,
    again: 'Log in again',
  },
}

/** These texts in one language. */
export type Texts = typeof texts
