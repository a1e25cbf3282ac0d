import { useMay } from '../shell/administrator.tsx'

/** Whether the logged-in administrator may change connections and their links. */
export function useMayWrite(): boolean {
  return useMay()('connections', 'write')
}
