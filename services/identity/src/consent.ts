import type { Emit } from '@gatehouse/kit/emission'
import { Refusal } from '@gatehouse/kit/errors'
import { createSecret, digestOf, type RandomBytes } from './secret.ts'
import { isUuid, storable } from './text.ts'

/** How long a question waits for its answer, in seconds. */
const questionLifetime = 1_800

/** How many questions of a session wait at once: a page in each of so many tabs. */
const mostQuestions = 20

/** What a user has allowed a client. */
export type Consent = {
  clientId: string
  /** Space-separated. */
  scope: string
  grantedAt: Date
}

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

/** Where consents are kept, and the questions that wait. */
export type ConsentStore = {
  findScope(userId: string, clientId: string): Promise<string | undefined>
  /** The newest first. */
  list(userId: string): Promise<Consent[]>
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
  /**
   * Forgets a consent, if there is one, and writes down the revocation of the client's tokens, both or neither.
   * @returns the pending revocation's id
   */
  withdraw(userId: string, clientId: string): Promise<bigint>
}

/** The scope that a user has allowed a client, space-separated; empty: nothing. */
export async function getConsent(
  { userId, clientId }: { userId: string; clientId: string },
  consents: Pick<ConsentStore, 'findScope'>,
): Promise<string> {
  if (!isUuid(userId)) return ''
  return (await consents.findScope(userId, storable(clientId))) ?? ''
}

/** The clients that a user has allowed something, the newest first. */
export async function listConsents(userId: string, consents: Pick<ConsentStore, 'list'>): Promise<Consent[]> {
  return isUuid(userId) ? consents.list(userId) : []
}

/**
 * Keeps a question until the user answers it, for half an hour at the most.
 * @returns 256 random bits in base64url, by which the form names it
 * @throws Refusal login_required when the session is over
 */
export async function askConsent(
  question: Question,
  { consents, randomBytes }: { consents: Pick<ConsentStore, 'ask'>; randomBytes: RandomBytes },
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
  { consents, emit }: { consents: Pick<ConsentStore, 'answer'>; emit: Emit },
): Promise<AnsweredQuestion | undefined> {
  if (!isUuid(sessionId)) return undefined
  const answered = await consents.answer({ digest: digestOf(question), sessionId, allowed })
  if (answered === undefined) return undefined
  const { userId, clientId, ...asked } = answered
  const { scope } = asked
  emit(allowed ? 'consent_granted' : 'consent_denied', { userId, clientId, metadata: { scope } })
  return asked
}

/**
 * The longest client_id whose access is ended, in bytes. Longer than any client's, and short enough for the indexes of
 * PostgreSQL: a revocation that the token service can never store would stay pending for ever.
 */
const longestClientId = 2_048

/** What ending a client's access needs. */
export type WithdrawalDeps = {
  consents: Pick<ConsentStore, 'withdraw'>
  /** Tells the token service, now or later; never rejects. */
  deliver(revocationId: bigint): Promise<void>
}

/**
 * Ends a client's access to a user's account: the consent is forgotten, codes and tokens end. A client without a consent
 * may hold tokens too (a first-party client is never asked for, and the password grant needs none), so its tokens end
 * all the same.
 */
export async function withdrawConsent(
  { userId, clientId }: { userId: string; clientId: string },
  { consents, deliver }: WithdrawalDeps,
): Promise<void> {
  if (!isUuid(userId) || clientId === '' || Buffer.byteLength(clientId) > longestClientId) return
  await deliver(await consents.withdraw(userId, storable(clientId)))
}
