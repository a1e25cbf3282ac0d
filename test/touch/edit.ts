/** A change to one file, as a developer makes it by hand. */
export type Edit = {
  /** Its path in the repository. */
  file: string
  /**
   * Changes its text.
   * @param text undefined for a file that does not exist
   * @throws Misfit when the file is no longer as the edit expects it
   */
  change(text: string | undefined): string
}

/** An edit that no longer fits its file. */
export class Misfit extends Error {
  override readonly name = 'Misfit'
}

/** Inserts a text behind another one, which the file must have exactly once. */
export function after(file: string, anchor: string, text: string): Edit {
  return instead(file, anchor, anchor + text)
}

/** Puts a text in the place of another one, which the file must have exactly once. */
export function instead(file: string, anchor: string, text: string): Edit {
  return {
    file,
    change(before) {
      if (before === undefined) throw new Misfit(`${file} does not exist`)
      const [head, tail, ...more] = before.split(anchor)
      if (head === undefined || tail === undefined)
        throw new Misfit(`${file} no longer has ${JSON.stringify(anchor)}`)
      if (more.length > 0)
        throw new Misfit(`${file} has ${JSON.stringify(anchor)} ${more.length + 1} times, not once`)
      return head + text + tail
    },
  }
}

/** Creates a file that must not exist yet. */
export function newFile(file: string, text: string): Edit {
  return {
    file,
    change(before) {
      if (before !== undefined) throw new Misfit(`${file} exists already`)
      return text
    },
  }
}

/** The texts of files by their paths; undefined for a file that does not exist. */
export type ReadText = (file: string) => string | undefined

/**
 * Applies edits, one after the other.
 * @param edited the files that earlier edits have changed; gets those of these edits too
 * @throws Misfit for the first edit that no longer fits
 */
export function applyEdits(edits: readonly Edit[], read: ReadText, edited: Map<string, string>): void {
  for (const { file, change } of edits) edited.set(file, change(edited.get(file) ?? read(file)))
}
