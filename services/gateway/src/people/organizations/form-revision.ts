/** The revision that a form has in a hidden field. Without a valid one the form is taken for one that is older than any change. */
export function revisionIn(text: string | undefined): bigint {
  return text !== undefined && /^\d{1,18}$/.test(text) ? BigInt(text) : 1n
}
