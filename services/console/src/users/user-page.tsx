/** Placeholder. */
export function UserPage() {
  return null
}
