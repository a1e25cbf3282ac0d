/** The most characters of a slug. */
const longest = 63

/** A slug that goes with a name: its letters and digits in lower case, without accents. Empty where nothing of it can be in a slug. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
  const dashed = plain.replaceAll(/[^a-z\d]+/g, '-').replace(/^-/, '')
  return dashed.slice(0, longest).replace(/-$/, '')
}
