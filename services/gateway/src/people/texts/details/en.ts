/** The page on which people change their details. */
export const texts = {
  heading: 'Your details',
  lead: 'Apps that you allow to see your profile get these details. Nobody sees a field that is empty.',
  addressByAdministrators: 'Only an administrator can change your e-mail address.',
  save: 'Save',
  yes: 'yes',
  no: 'no',
  choices: { yes: 'Yes', no: 'No', none: 'Not given', leave: (now: string) => `Leave as it is: ${now}` },
  /** The fault of a value, by the kind of attribute. */
  faults: {
    text: (label: string, most: number) => `“${label}” must have 1 to ${most} visible characters.`,
    picture: (label: string) => `“${label}” must be an https URL without a password.`,
    language: (label: string) => `“${label}” must be a language tag, such as en or de-CH.`,
    zone: (label: string) => `“${label}” must be a time zone, such as Europe/Berlin.`,
  },
}

/** These texts in one language. */
export type Texts = typeof texts
