import type { Questions } from '../pages/questions.ts'

/** The question that a page asks a user: whether a client may have a scope. */
export type ConsentQuestion = {
  /** The authorization request that waits for the answer. */
  flowId: string
  sessionId: string
  clientId: string
  /** The scope that the consent will remember. */
  scope: string
  /** The client's name as the page shows it. */
  clientName: string
  /** The organization in which the client may have it; undefined for none. */
  organizationId?: string | undefined
}

/** These questions as the forms of pages carry them. */
export type ConsentQuestions = Questions<ConsentQuestion>
