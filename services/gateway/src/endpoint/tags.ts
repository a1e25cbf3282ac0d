/** The groups of operations in the OpenAPI document, in its order, each with its description. */
export const tags = {
  OAuth: 'Issue, introspect and revoke tokens.',
  'OpenID Connect': 'Log users in and out, and read who they are.',
  Login: 'Pages that clients send browsers to.',
  Clients: 'Register clients.',
  Discovery: 'Metadata and keys for client libraries.',
  Operations: 'Health and metrics, for operators.',
  Events: 'Submit and read events.',
  Admin: 'The API for administrators.',
} as const

/** The name of a group. */
export type Tag = keyof typeof tags
