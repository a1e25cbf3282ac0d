import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { commonTexts } from '../texts/common.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import { exactTime, relativeTime } from './time.ts'

/** How often a time is written anew, in milliseconds. */
const step = 15_000

/** A time relative to now; the exact time shows on hover and on focus. Without a time it says so. */
export function Moment({ at }: { at: string | undefined }) {
  const { language } = useLanguage()
  const t = useTexts(commonTexts)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), step)
    return () => clearInterval(timer)
  }, [])
  if (at === undefined) return <>{t.never}</>
  const time = new Date(at)
  const exact = exactTime(time, language)
  return (
    <Tooltip label={exact} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={at}>{relativeTime(time.getTime(), now, language)}</time>
    </Tooltip>
  )
}
