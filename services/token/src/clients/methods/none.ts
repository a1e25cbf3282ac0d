import { compareWithNobodys } from './client-secret.ts'
import type { AuthenticationMethod } from './method.ts'

/** A public client, which has no secret and so sends an empty one (RFC 6749 section 3.2.1). */
export const none: AuthenticationMethod = {
  judge({ reading: { clientSecret: secret } }) {
    compareWithNobodys(secret)
    return secret === '' ? 'named' : 'public_client'
  },
}
