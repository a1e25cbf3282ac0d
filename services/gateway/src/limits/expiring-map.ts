/** A map whose entries end, and that never holds more than so many. */
export type ExpiringMap<Value> = {
  /** The value, unless it is over or had to go. */
  get(key: string): Value | undefined
  /** Keeps a value until then, in milliseconds of the clock. */
  set(key: string, value: Value, until: number): void
  readonly size: number
}

/** What it is made of. */
export type ExpiringMapOptions = {
  /** How many entries it holds. The newer half of them it never lets go before their time. */
  most: number
  /** How long an entry lives at the most, in milliseconds. */
  longest: number
  /** A clock, in milliseconds from whenever. */
  now(): number
}

/**
 * A map for what strangers can make many of. Two maps take turns, and the older one goes as a whole: a JavaScript Map
 * that loses its first entry for each new one takes a hundred microseconds for it, when it is large.
 */
export function createExpiringMap<Value>({ most, longest, now }: ExpiringMapOptions): ExpiringMap<Value> {
  type Entries = Map<string, { value: Value; until: number }>
  let older: Entries = new Map()
  let newer: Entries = new Map()
  let begin = now()
  return {
    get(key) {
      const entry = newer.get(key) ?? older.get(key)
      return entry !== undefined && entry.until > now() ? entry.value : undefined
    },
    set(key, value, until) {
      if (newer.size >= most / 2 || now() - begin >= longest) {
        older = newer
        newer = new Map()
        begin = now()
      }
      newer.set(key, { value, until })
    },
    get size() {
      return older.size + newer.size
    },
  }
}
