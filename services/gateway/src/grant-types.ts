/** The grants that a client may ask for at the token endpoint. */
export type GrantType = 'authorization_code' | 'client_credentials' | 'refresh_token' | 'password'

/**
 * The grants of this installation, as discovery lists them.
 * @param switches the two that are off unless they are switched on
 */
export function enabledGrantTypes(switches: {
  OAUTH2_REFRESH_TOKEN_ENABLED: boolean
  OAUTH2_PASSWORD_GRANT_ENABLED: boolean
}): GrantType[] {
  return [
    'authorization_code',
    'client_credentials',
    ...(switches.OAUTH2_REFRESH_TOKEN_ENABLED ? (['refresh_token'] as const) : []),
    ...(switches.OAUTH2_PASSWORD_GRANT_ENABLED ? (['password'] as const) : []),
  ]
}
