/** Placeholder. */
export function Dashboard() {
  return null
}
