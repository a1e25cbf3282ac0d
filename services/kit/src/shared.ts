/**
 * Shares one request among concurrent callers: a call made while one is under way gets the same answer.
 * @param ask makes the request
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
