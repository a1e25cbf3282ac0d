/** The page on which people change their details. */
export const texts = {
  heading: 'Your details',
  lead: 'Apps that you allow to see your profile get these. What is empty is not shown to anybody.',
  addressByAdministrators: 'Only an administrator can change your e-mail address.',
  save: 'Save',
  back: 'Back to your account',
  yes: 'yes',
  no: 'no',
  choices: { yes: 'Yes', no: 'No', none: 'Not said', leave: (now: string) => `Leave as it is: ${now}` },
  /** The fault of a value, by the kind of attribute. */
  faults: {
    text: (label: string, most: number) =>
      `“${label}” must be a text of 1 to ${most} characters that people can see.`,
    picture: (label: string) => `“${label}” must be an https URL without a password.`,
    language: (label: string) => `“${label}” must be a language tag, such as en or de-CH.`,
    zone: (label: string) => `“${label}” must be a time zone, such as Europe/Berlin.`,
  },
}

/** These texts in one language. */
export type Texts = typeof texts
