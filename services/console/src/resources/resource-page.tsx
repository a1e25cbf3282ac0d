/** Placeholder. */
export function ResourcePage() {
  return null
}
