/** Placeholder. */
export function MailPage() {
  return null
}
