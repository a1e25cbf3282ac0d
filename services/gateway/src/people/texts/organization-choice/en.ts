/** The page on which users choose an organization, and the words for it on other pages. */
export const texts = {
  heading: 'Choose an organization',
  lead: (app: string) => `For which organization do you use ${app}?`,
  none: 'For none of them',
  noChoice: 'The choice is missing: press the name of an organization.',
  /** Where somebody acts, for the login page and the list of apps. */
  acting: (organization: string) => `in the organization ${organization}`,
  /** For the consent page. */
  only: (organization: string) => `The access counts in the organization ${organization} only.`,
}

/** These texts in one language. */
export type Texts = typeof texts
