/** A credential in an export of Keycloak. Before version 8 its parts were fields of their own. */
type Credential = Readonly<Record<string, unknown>>

/** A password that a user brings along. */
export type BroughtPassword = { password_hash: string } | { password: string } | { fault: string }

/**
 * Reads a user's password in an export of Keycloak, which has the hash's parts as JSON in two texts.
 * @returns undefined when the user has none
 */
export function keycloakPassword(credentials: unknown): BroughtPassword | undefined {
  const list: readonly unknown[] = Array.isArray(credentials) ? credentials : []
  const credential = list.map((one): Credential => Object(one)).find(({ type }) => type === 'password')
  if (credential === undefined) return undefined
  if (typeof credential.value === 'string') return { password: credential.value }
  const secret = { ...jsonOf(credential.secretData), ...legacySecret(credential) }
  const { algorithm, hashIterations, additionalParameters } = {
    ...legacyData(credential),
    ...jsonOf(credential.credentialData),
  }
  const [hash, salt] = [base64(secret.value), base64(secret.salt)]
  const iterations = Number(hashIterations)
  switch (algorithm) {
    case 'argon2':
      return { password_hash: argon2(iterations, jsonOf(additionalParameters), `${salt}$${hash}`) }
    case 'pbkdf2':
      return { password_hash: `$pbkdf2-sha1$i=${iterations}$${salt}$${hash}` }
    case 'pbkdf2-sha256':
    case 'pbkdf2-sha512':
      return { password_hash: `$${algorithm}$i=${iterations}$${salt}$${hash}` }
    // A plug-in that many have installed.
    case 'bcrypt':
      return { password_hash: String(secret.value) }
    default:
      return { fault: 'The password is hashed with an algorithm that Gatehouse does not know.' }
  }
}

function argon2(passes: number, parameters: Readonly<Record<string, unknown>>, rest: string): string {
  const first = (name: string, otherwise: string) => String([parameters[name] ?? otherwise].flat()[0])
  const version = first('version', '1.3') === '1.0' ? 16 : 19
  const [memory, lanes] = [first('memory', '7168'), first('parallelism', '1')]
  return `$argon2${first('type', 'id')}$v=${version}$m=${memory},t=${passes},p=${lanes}$${rest}`
}

function legacySecret({ hashedSaltedValue: value, salt }: Credential): Readonly<Record<string, unknown>> {
  return value === undefined ? {} : { value, salt }
}

function legacyData({ algorithm, hashIterations }: Credential): Readonly<Record<string, unknown>> {
  return { algorithm, hashIterations }
}

/** An object, or the object that a text has as JSON; an empty one for anything else. */
function jsonOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'string') return Object(value ?? {})
  try {
    return Object(JSON.parse(value))
  } catch {
    return {}
  }
}

/** Base64 without its padding, as the PHC string format has it. */
function base64(value: unknown): string {
  return String(value ?? '').replace(/=+$/, '')
}
