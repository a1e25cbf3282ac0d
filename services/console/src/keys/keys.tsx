/** Placeholder. */
export function Keys() {
  return null
}
