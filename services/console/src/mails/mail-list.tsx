/** Placeholder. */
export function MailList() {
  return null
}
