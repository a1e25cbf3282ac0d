/** A text of a catalogue with places for names. */
type TextWithNames = (...names: string[]) => string

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

/**
 * The functions with which templates write texts. Each gives HTML in which the names are escaped. Names stand in `<bdi>`, because a name
 * that is written in the other direction would otherwise reorder the sentence.
 */
export const pageWriting = {
  /** A text around names. */
  named: (text: TextWithNames, ...names: string[]) =>
    text(...names.map((name) => `<bdi>${escaped(name)}</bdi>`)),
  /** A text around names in bold. */
  strong: (text: TextWithNames, ...names: string[]) =>
    text(...names.map((name) => `<strong><bdi>${escaped(name)}</bdi></strong>`)),
  /** A text around a link, after a name in bold if it has one. */
  linked: (text: TextWithNames, { href, label, name }: { href: string; label: string; name?: string }) => {
    const link = `<a href="${escaped(href)}">${escaped(label)}</a>`
    return name === undefined ? text(link) : text(`<strong><bdi>${escaped(name)}</bdi></strong>`, link)
  },
  /** A text around a time. */
  timed: (text: TextWithNames, date: Date, words: string) =>
    text(`<time datetime="${date.toISOString()}">${escaped(words)}</time>`),
}
