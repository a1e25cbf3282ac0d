import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'

/** Where an app that runs on the user's device gets its answers. */
export const callback = 'http://localhost:33418/callback'

/** The data that an app has stored between two requests of its SDK. */
export class StoredApp implements OAuthClientProvider {
  readonly redirectUrl = callback
  readonly clientMetadata
  readonly clientMetadataUrl?: string
  /** The address to which the SDK wants to send the user. */
  authorizationUrl = new URL('about:blank')
  stored: {
    client?: StoredOAuthClientInformation
    tokens?: StoredOAuthTokens
    verifier?: string
    discovery?: OAuthDiscoveryState
  } = {}

  /**
   * @param metadata the metadata that it registers besides its name and redirect URI
   * @param clientId the address of its metadata document, when it has one
   */
  constructor(metadata: object = {}, clientId?: string) {
    this.clientMetadata = { client_name: 'Editor', redirect_uris: [callback], ...metadata }
    if (clientId !== undefined) this.clientMetadataUrl = clientId
  }

  clientInformation = () => this.stored.client
  saveClientInformation = (client: StoredOAuthClientInformation) =>
    void Object.assign(this.stored, { client })
  tokens = () => this.stored.tokens
  saveTokens = (tokens: StoredOAuthTokens) => void Object.assign(this.stored, { tokens })
  codeVerifier = () => this.stored.verifier ?? ''
  saveCodeVerifier = (verifier: string) => void Object.assign(this.stored, { verifier })
  discoveryState = () => this.stored.discovery
  saveDiscoveryState = (discovery: OAuthDiscoveryState) => void Object.assign(this.stored, { discovery })
  redirectToAuthorization = (address: URL) => void Object.assign(this, { authorizationUrl: address })
}
