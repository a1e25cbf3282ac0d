/** Placeholder. */
export function TokenTable(_: { of: { client_id: string } | { user_id: string } }) {
  return null
}
