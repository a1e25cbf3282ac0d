/** Writes a number of seconds in words, such as `3,600 seconds`. */
export function secondsIn(seconds: number, language: string): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'second', unitDisplay: 'long' }).format(
    seconds,
  )
}
