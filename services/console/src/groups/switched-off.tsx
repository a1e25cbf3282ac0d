import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { switchTexts } from './texts/switch.ts'

/** In milliseconds: only a restart changes it. */
const fresh = 300_000

/** Says where organizations, groups and roles count for nothing, and how to change that. A gateway of an earlier release does not say whether they count. */
export function SwitchedOff() {
  const t = useTexts(switchTexts)
  const { data } = useQuery({
    ...read('/admin/api/status'),
    enabled: useMay()('system', 'read'),
    staleTime: fresh,
  })
  if (data?.organizations !== false) return null
  return (
    <Alert color="yellow" title={t.off} role="note">
      {t.offText}
    </Alert>
  )
}
