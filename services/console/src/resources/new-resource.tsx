/** Placeholder. */
export function NewResource() {
  return null
}
