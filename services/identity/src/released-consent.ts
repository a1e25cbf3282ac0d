import type { Emit } from '@gatehouse/kit/emission'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { createSecret, digestOf, type RandomBytes } from './secret.ts'
import { storable } from './text.ts'

// Serves gateways of release 0.2.0, which keep the authorization request themselves. The release after this one removes this
// file, its store and its table.

/** How long a question waits for its answer, in seconds. */
const questionLifetime = 1_800

/** The most questions of a session that can wait at once, such as one in each of so many tabs. */
const mostQuestions = 20

/** A consent question to the user of a session. */
export type Question = {
  sessionId: string
  clientId: string
  /** The requested scope, space-separated. */
  scope: string
  /** Returned with the answer. */
  authorizationQuery: string
}

/** The question that was answered. */
export type AnsweredQuestion = Pick<Question, 'scope' | 'authorizationQuery'>

/** An answered question with its user and client. */
export type StoredAnswer = AnsweredQuestion & Pick<Question, 'clientId'> & { userId: string }

/** Stores open questions and consents. */
export type ReleasedConsentStore = {
  findScope(userId: string, clientId: string): Promise<string | undefined>
  /**
   * Stores a question, and deletes the session's oldest questions beyond the limit.
   * @param limits lifetime in seconds; most: how many questions of the session stay
   * @returns false when the session has ended
   */
  ask(question: Question & { digest: Buffer }, limits: { lifetime: number; most: number }): Promise<boolean>
  /**
   * Takes the answer to a question, and adds an allowed scope to the consent. Only the first of several answers succeeds.
   * @returns the question; undefined when it is unknown, expired, already answered, or another session's
   */
  answer(answer: { digest: Buffer; sessionId: string; allowed: boolean }): Promise<StoredAnswer | undefined>
}

/** The scope that a user has allowed a client, space-separated; empty when there is none. */
export async function getConsent(
  { userId, clientId }: { userId: string; clientId: string },
  consents: Pick<ReleasedConsentStore, 'findScope'>,
): Promise<string> {
  if (!isUuid(userId)) return ''
  return (await consents.findScope(userId, storable(clientId))) ?? ''
}

/**
 * Stores a question until the user answers it, for at most half an hour.
 * @returns 256 random bits in base64url, with which the form names the question
 * @throws Refusal login_required when the session has ended
 */
export async function askConsent(
  question: Question,
  { consents, randomBytes }: { consents: Pick<ReleasedConsentStore, 'ask'>; randomBytes: RandomBytes },
): Promise<string> {
  const secret = createSecret(randomBytes)
  const limits = { lifetime: questionLifetime, most: mostQuestions }
  const asked = {
    sessionId: question.sessionId,
    clientId: storable(question.clientId),
    scope: storable(question.scope),
    authorizationQuery: storable(question.authorizationQuery),
    digest: digestOf(secret),
  }
  if (!isUuid(question.sessionId) || !(await consents.ask(asked, limits))) {
    throw new Refusal('login_required')
  }
  return secret
}

/**
 * Takes the answer to a question, once.
 * @returns the question; undefined when it is unknown, expired, already answered, or another session's
 */
export async function answerConsent(
  { sessionId, question, allowed }: { sessionId: string; question: string; allowed: boolean },
  { consents, emit }: { consents: Pick<ReleasedConsentStore, 'answer'>; emit: Emit },
): Promise<AnsweredQuestion | undefined> {
  if (!isUuid(sessionId)) return undefined
  const answered = await consents.answer({ digest: digestOf(question), sessionId, allowed })
  if (answered === undefined) return undefined
  const { userId, clientId, ...asked } = answered
  const { scope } = asked
  emit(allowed ? 'consent_granted' : 'consent_denied', { userId, clientId, metadata: { scope } })
  return asked
}
