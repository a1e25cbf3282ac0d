import { useMutation } from '@tanstack/react-query'
import { useNotices } from '../parts/notice.tsx'
import { renewAll } from '../queries.ts'

/**
 * Performs something that changes the server, and says what happened. The page's data is read again afterwards.
 * @returns a function that takes the work, the words for when it is done, and how to undo it; it resolves to whether it was done
 */
export function useAct() {
  const { done, failed } = useNotices()
  const { mutateAsync, isPending } = useMutation({ mutationFn: (work: () => Promise<unknown>) => work() })
  async function act(work: () => Promise<unknown>, words: string, undo?: () => Promise<unknown>) {
    try {
      await mutateAsync(work)
    } catch (error) {
      failed(error)
      return false
    }
    const undoAndRenew =
      undo &&
      (async () => {
        await undo()
        await renewAll()
      })
    done(words, undoAndRenew)
    await renewAll()
    return true
  }
  return { act, isPending }
}
