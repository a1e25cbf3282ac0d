/** Something that can be done with an item on its page, and with many in their list, in the same words and with the same way back. */
export type Action<Item> = {
  label: string
  color?: string
  /** The title of its question; by default its label and the names. */
  title?(names: string): string
  /** Its consequences, each a sentence about something that it ends. The page asks about them first. */
  consequences?: readonly string[]
  /** Whether there is something to do for an item; by default there always is. */
  concerns?(item: Item): boolean
  perform(item: Item): Promise<unknown>
  /** Takes it back; absent when nothing can. @throws ApiError outdated_revision when somebody has changed the item since */
  undo?(item: Item): Promise<unknown>
  /** The words for when it is done with one item, by its name. */
  done(name: string): string
  /** The words for when it is done with several. */
  doneAll(count: string): string
}

/** The words and requests with which items of one kind are disabled and enabled. */
export type Disabling<Item> = {
  change(item: Item, disabled: boolean): Promise<unknown>
  /** Reads whether an item is disabled now. */
  read(item: Item): Promise<{ disabled: boolean }>
  /** The consequences of disabling, each a sentence about something that it ends. */
  disableEnds: readonly string[]
  disabledNotice(name: string): string
  enabledNotice(name: string): string
  disabledAll(count: string): string
  enabledAll(count: string): string
}
