/**
 * Makes those who ask while an answer is under way wait for that one.
 * @param ask what each of them would do alone
 */
export function shared<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asking: Promise<Answer> | undefined
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}
