import classes from './preformatted.module.css'

/** A text with its own lines, whose direction is that of its words. */
export function Preformatted({ text }: { text: string }) {
  return (
    <pre className={classes.text} dir="auto">
      {text}
    </pre>
  )
}
