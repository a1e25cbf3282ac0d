/** Placeholder. */
export function NewUser() {
  return null
}
