import type { Proving } from '../clients/assertions/proof.ts'
import type { Client } from '../clients/client-authentication.ts'
import type { IssuedToken } from '../tokens/issued-token.ts'

/** A token request without the client's credentials. The statement that stores its tokens spends its proof. */
export type GrantRequest = Proving & {
  /** The grant's own parameters that were sent, by name. */
  parameters: Readonly<Record<string, string>>
  /** The identifiers of the resource servers that the request names (RFC 8707 section 2.2). */
  resources: readonly string[]
  /** The address the request comes from. */
  ipAddress: string
}

/** The implementation of a grant in proto/grants.ts. Its name is its key in table.ts. */
export type Grant<Deps> = {
  /**
   * Issues the tokens to a client that has authenticated and may use this grant.
   * @throws Refusal with the grant's own error codes
   */
  issue(client: Client, request: GrantRequest, deps: Deps): Promise<IssuedToken>
}
