/** Placeholder. */
export function ResourceList() {
  return null
}
