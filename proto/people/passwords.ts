/** The fewest and the most characters of a new password (NIST SP 800-63B-4 section 3.1.1.2). Older ones may be shorter. */
export const passwordLength = { least: 12, most: 1_024 } as const

/** The possible faults of a new password, each as the end of a sentence. */
export const passwordFaults = {
  too_short: `must have at least ${passwordLength.least} characters`,
  too_long: `must have at most ${passwordLength.most} characters`,
  too_common: 'is one of the most common passwords, which are guessed first',
  like_name: 'must not be the user name or the e-mail address',
} as const

/** The code of a fault of a new password. */
export type PasswordFault = keyof typeof passwordFaults
