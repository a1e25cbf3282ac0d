/** The frame of every page: what is above and below it. */
export const texts = {
  navigation: 'Account',
  administration: 'Administration',
  account: 'Account',
  logOut: 'Log out',
  about: 'About this server',
  terms: 'Terms of service',
  privacy: 'Privacy',
  support: 'Help',
}

/** These texts in one language. */
export type Texts = typeof texts
