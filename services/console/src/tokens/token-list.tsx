/** Placeholder. */
export function TokenList() {
  return null
}
