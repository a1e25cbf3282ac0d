/** An entry of a file: ready for the API, or why it is not sent. */
export type Prepared<Item> = { name: string } & (
  | {
      item: Item
      /** The parts that were left out, as a sentence; empty for none. */
      note: string
      /** Names of fields that were left out because they mean nothing here. */
      unneeded?: string[]
    }
  | { outcome: 'invalid' | 'skipped'; reason: string }
)

/** The outcome of an entry. */
export type Outcome = 'created' | 'exists' | 'invalid' | 'skipped'

/** The result of an entry, for the report. */
export type Result = { outcome: Outcome; reason?: string | undefined } & Readonly<Record<string, unknown>>
