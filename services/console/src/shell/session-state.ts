import { useSyncExternalStore } from 'react'

let over = false
const listeners = new Set<() => void>()

function set(value: boolean): void {
  if (over === value) return
  over = value
  for (const listener of listeners) listener()
}

/** Notes that the API no longer knows the session of this browser. */
export function endSession(): void {
  set(true)
}

/** Notes that somebody has logged in again. */
export function resumeSession(): void {
  set(false)
}

/** Whether the session of this browser is over. */
export function useSessionOver(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => over,
  )
}

/** How often something is read again: never while the session is over. @param interval in milliseconds */
export function useRefetchInterval(interval: number): number | false {
  return useSessionOver() ? false : interval
}
