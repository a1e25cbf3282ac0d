import type { Emit } from '@gatehouse/kit/emission'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { createSecret, digestOf, type RandomBytes } from './secret.ts'
import { storable } from './text.ts'

// What gateways of 0.2.0 ask for, which keep the authorization request themselves. All of this file, its store and its table go
// with the release after this one.

/** How long a question waits for its answer, in seconds. */
const questionLifetime = 1_800

/** How many questions of a session wait at once: a page in each of so many tabs. */
const mostQuestions = 20

/** A question to the user of a session. */
export type Question = {
  sessionId: string
  clientId: string
  /** What is asked for, space-separated. */
  scope: string
  /** Given back with the answer. */
  authorizationQuery: string
}

/** What a question asked. */
export type AnsweredQuestion = Pick<Question, 'scope' | 'authorizationQuery'>

/** The same, with who was asked for whom. */
export type StoredAnswer = AnsweredQuestion & Pick<Question, 'clientId'> & { userId: string }

/** Where the questions wait, and what was allowed. */
export type ReleasedConsentStore = {
  findScope(userId: string, clientId: string): Promise<string | undefined>
  /**
   * Keeps a question, and of the session's questions only the newest.
   * @param limits lifetime in seconds; how many are kept
   * @returns false when there is no such session any more
   */
  ask(question: Question & { digest: Buffer }, limits: { lifetime: number; most: number }): Promise<boolean>
  /**
   * Takes the answer to a question, and adds what was allowed to what was before. Of several answers one succeeds.
   * @returns what was asked; undefined when it is unknown, over, answered, or another session's
   */
  answer(answer: { digest: Buffer; sessionId: string; allowed: boolean }): Promise<StoredAnswer | undefined>
}

/** The scope that a user has allowed a client, space-separated; empty: nothing. */
export async function getConsent(
  { userId, clientId }: { userId: string; clientId: string },
  consents: Pick<ReleasedConsentStore, 'findScope'>,
): Promise<string> {
  if (!isUuid(userId)) return ''
  return (await consents.findScope(userId, storable(clientId))) ?? ''
}

/**
 * Keeps a question until the user answers it, for half an hour at the most.
 * @returns 256 random bits in base64url, by which the form names it
 * @throws Refusal login_required when the session is over
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
 * @returns what was asked; undefined when the question is unknown, over, answered already, or another session's
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
