/** How questions to the identity service that wait at the same moment share a call. */
export const sharedQuestions = { maxItems: 500, maxConcurrent: 4, maxQueued: 5_000 }
