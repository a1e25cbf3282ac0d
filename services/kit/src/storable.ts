/** Whether a value is a text that PostgreSQL can store: without NUL and without unpaired surrogates. */
export function isStorable(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
}
