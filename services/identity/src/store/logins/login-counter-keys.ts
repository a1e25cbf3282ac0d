/**
 * The keys of the counters of failed logins in identity.login_failures, each made in SQL of SQL expressions: the lower() of a name must be
 * the one that finds the user.
 */

/** The key of the kind `user`. */
export const nameKey = (name: string) => digest(`lower(${name})`)

/** The key of the kind `user_ip`. */
export const nameAndNetworkKey = (name: string, network: string) =>
  digest(`lower(${name}) || E'\\n' || ${network}`)

/** The key of the kind `ip`. */
export const networkKey = (network: string) => digest(network)

const digest = (text: string) => `sha256(convert_to(${text}, 'UTF8'))`
