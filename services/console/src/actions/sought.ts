import { useDebouncedValue } from '@mantine/hooks'
import { type KeyboardEvent, useEffect, useState } from 'react'

/** In milliseconds. */
const typing = 200

/** The text that a box looks for while somebody types, and whether they have pressed Enter. */
export type Sought = {
  text: string
  /** Whether what was found belongs to an earlier text. */
  stale: boolean
  /** Whether Enter was pressed on this text, whose first match is to be taken as soon as it is known. */
  entered: boolean
  setEntered(entered: boolean): void
}

/** The text to look for: the typed one once it has rested for a moment, or at once after Enter. */
export function useSought(typed: string): Sought {
  const now = typed.trim()
  const [rested] = useDebouncedValue(now, typing)
  const [enteredText, setEnteredText] = useState('')
  const entered = now !== '' && enteredText === now
  const text = entered ? now : rested
  return {
    text,
    stale: text !== now,
    entered,
    setEntered: (wanted) => setEnteredText(wanted ? now : ''),
  }
}

/**
 * Takes the first match when Enter was pressed before it was found: people type and press Enter at once.
 * @param first the first match of the sought text; undefined for none so far
 * @returns the handler of the box's keys
 */
export function useFirstOnEnter(
  { stale, entered, setEntered }: Sought,
  { first, fetching, take }: { first: string | undefined; fetching: boolean; take(first: string): void },
): (event: KeyboardEvent) => void {
  useEffect(() => {
    if (!entered || fetching) return
    setEntered(false)
    if (first !== undefined) take(first)
  })
  return ({ key, nativeEvent }) => {
    // Enter that ends the composition of a character is not meant for the box.
    if (key !== 'Enter' || nativeEvent.isComposing) return
    if (stale || (fetching && first === undefined)) setEntered(true)
  }
}
