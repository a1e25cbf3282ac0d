import type { ConnectionLink } from '@gatehouse/admin-api/generated/openapi'
import { Badge } from '@mantine/core'
import { useTexts } from '../texts/language.ts'
import { linkTexts } from './texts/link.ts'

/** Whether somebody can log in by a link, in words. */
export function useLinkState(): (link: ConnectionLink) => string {
  const t = useTexts(linkTexts)
  return ({ orphaned, disabled }) => (orphaned ? t.orphaned : disabled ? t.disabled : t.works)
}

/** The same as a badge. */
export function LinkState({ link }: { link: ConnectionLink }) {
  const words = useLinkState()(link)
  return <Badge color={link.orphaned ? 'red' : link.disabled ? 'yellow' : 'teal'}>{words}</Badge>
}
