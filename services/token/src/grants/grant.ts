import type { GrantType } from '@gatehouse/proto/grants'
import type { Client } from '../client-authentication.ts'
import type { IssuedToken } from '../issued-token.ts'

/** What a client sends to the token endpoint besides its credentials. */
export type GrantRequest = {
  /** The grant's own parameters by name, as far as they were sent. */
  parameters: Readonly<Record<string, string>>
  /** Where the request comes from. */
  ipAddress: string
}

/** A grant: what proto/grants.ts says of it, made to work. */
export type Grant<Deps> = {
  grantType: GrantType
  /**
   * Issues the tokens to a client that has authenticated and may use this grant.
   * @throws Refusal as the grant has it
   */
  issue(client: Client, request: GrantRequest, deps: Deps): Promise<IssuedToken>
}
