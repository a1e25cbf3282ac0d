/** Placeholder. */
export function UserList() {
  return null
}
