/** Placeholder. */
export function Activity() {
  return null
}
