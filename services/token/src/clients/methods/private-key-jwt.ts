import type { AuthenticationMethod } from './method.ts'

/** A client that signs an assertion about itself with its key (RFC 7523 section 2.2, OpenID Connect Core section 9). */
export const privateKeyJwt: AuthenticationMethod = {
  judge: () => 'no_assertion',
}
