import type { ReactNode } from 'react'

/** A frame in which wide content scrolls, also with the keyboard. @param label its name, for screen readers */
export function Scrollable({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: people with a keyboard must be able to scroll.
    <section style={{ overflowX: 'auto' }} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
