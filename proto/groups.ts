/**
 * The fields of a group that administrators set, by the API's names. The admin API and the command line take their words from here; the
 * identity service checks the values.
 */
export const groupFields = {
  name: {
    label: 'Name',
    description:
      'Apps that are told of groups read it in the claim `groups`. No two groups have the same name, ignoring case. Changing it ends the access tokens that have groups.',
  },
  description: { label: 'Description', description: 'For administrators; apps do not get it.' },
} as const

/** The limits of groups and of changes to them. */
export const groupLimits = {
  /** In characters. */
  name: 200,
  description: 1_000,
  /** How many there may be in all. */
  groups: 10_000,
  /** In how many a user may be. */
  groupsOfUser: 1_000,
  /** How many members, or roles, one request may add, and how many it may remove. */
  atOnce: 500,
} as const

/** The source of groups that administrators change; every other one is the directory that alone changes its groups. */
export const localSource = 'local'
