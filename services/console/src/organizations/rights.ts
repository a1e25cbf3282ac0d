import { useMay } from '../shell/administrator.tsx'

/** Whether the logged-in administrator may change organizations, their members and what they have. */
export function useMayWrite(): boolean {
  return useMay()('organizations', 'write')
}
