import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import { adminRoleOf } from '@gatehouse/proto/administration'
import {
  EnrolmentProblem,
  type EnrolPasskeyRequest,
  type FactorEnrolled,
  type FactorOwner,
} from '@gatehouse/proto/identity/v1'
import type { Language } from '@gatehouse/proto/people/languages'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { renderSVG } from 'uqr'
import { pageForm } from '../../http/schemas.ts'
import {
  confirmFirst,
  type FactorDeps,
  languageAt,
  ownerAt,
  type Place,
  provingBrowser,
} from '../account/factor-places.ts'
import { browserName } from '../pages/browser-name.ts'
import { markRefused } from '../pages/errors.ts'
import { pageRoute } from '../pages/page-route.ts'
import { sendPage } from '../pages/pages.ts'
import { loginAddress, secondFactorAddress } from '../pages/return-to.ts'
import { explanationOf, TranslatedRefusal } from '../pages/translated-refusal.ts'
import { showNewCodes } from '../session/new-recovery-codes.ts'
import { textsIn } from '../texts/table.ts'
import { placeOf, tooManyCodes } from './second-factor.ts'

const config = { page: true } as const

/** An enrolment of a factor: its user, its place, and the language of its page. */
type Enrolling = { owner: FactorOwner; place: Place; language: Language }

/** The refusal and the typed name that a page that enrols a factor shows besides. */
type FormState = { refusal?: Refusal; name?: string }

/**
 * The pages /auth/second-factor/passkey and /auth/second-factor/app, which enrol a factor in a session, or in a login whose user must
 * have one.
 */
export function enrolmentRoutes(app: App, deps: FactorDeps): void {
  passkeyRoutes(app, deps)
  appRoutes(app, deps)
}

function passkeyRoutes(app: App, deps: FactorDeps): void {
  const url = '/auth/second-factor/passkey'
  pageRoute(app, {
    url,
    exposeHeadRoute: false,
    handler: (request, reply) =>
      enrolling(request, reply, { place: placeIn(request), page: '/passkey' }, deps, (by) =>
        showPasskey(request, reply, by, deps),
      ),
  })

  app.route({
    method: 'POST',
    url,
    config,
    schema: pageForm('passkey', 'name', 'of', 'return_to'),
    handler(request, reply) {
      const { passkey: answer = '' } = request.body
      const name = request.body.name?.trim() ?? ''
      const asked = { place: placeOf(request.body), page: '/passkey' }
      return enrolling(request, reply, asked, deps, async (by) => {
        const given = { owner: by.owner, answer, name, browser: provingBrowser(request, deps) }
        const outcome = await enrolPasskey(given, deps)
        return outcome instanceof Refusal
          ? showPasskey(request, reply, { ...by, refusal: outcome, name }, deps)
          : enrolled(request, reply, { ...by, factor: outcome }, deps)
      })
    },
  })
}

/** Enrols a passkey. @returns why it was not enrolled, if the user can do something about it */
async function enrolPasskey(
  given: EnrolPasskeyRequest,
  { identity }: FactorDeps,
): Promise<FactorEnrolled | Refusal> {
  try {
    const { outcome } = await identity.enrolPasskey(given)
    if (outcome?.$case === 'enrolled') return outcome.value
    return problems[outcome?.value ?? EnrolmentProblem.ENROLMENT_PROBLEM_UNSPECIFIED] ?? invalid
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_request') return badName
    throw error
  }
}

const invalid = new TranslatedRefusal('invalid_request', ({ enrolment }) => enrolment.addPasskey.invalid)
const badName = new TranslatedRefusal('invalid_request', ({ enrolment }) => enrolment.addPasskey.badName)
const problems: Readonly<Partial<Record<EnrolmentProblem, Refusal>>> = {
  [EnrolmentProblem.ENROLMENT_PROBLEM_TAKEN]: new TranslatedRefusal(
    'invalid_request',
    ({ enrolment }) => enrolment.addPasskey.taken,
  ),
  [EnrolmentProblem.ENROLMENT_PROBLEM_TOO_MANY]: new TranslatedRefusal(
    'invalid_request',
    ({ enrolment }) => enrolment.addPasskey.tooMany,
  ),
}

function appRoutes(app: App, deps: FactorDeps): void {
  const url = '/auth/second-factor/app'
  pageRoute(app, {
    url,
    exposeHeadRoute: false,
    handler: (request, reply) =>
      enrolling(request, reply, { place: placeIn(request), page: '/app' }, deps, (by) =>
        showApp(request, reply, by, deps),
      ),
  })

  app.route({
    method: 'POST',
    url,
    config,
    schema: pageForm('code', 'of', 'return_to'),
    handler(request, reply) {
      const { code = '' } = request.body
      const asked = { place: placeOf(request.body), page: '/app' }
      return enrolling(request, reply, asked, deps, async (by) => {
        const given = { owner: by.owner, code, browser: provingBrowser(request, deps) }
        const { outcome } = await deps.identity.enrolApp(given)
        if (outcome?.$case === 'enrolled')
          return enrolled(request, reply, { ...by, factor: outcome.value }, deps)
        const refusal =
          outcome?.$case === 'throttled' ? tooManyCodes(outcome.value.retryAfterSeconds) : wrongCode
        return showApp(request, reply, { ...by, refusal }, deps)
      })
    },
  })
}

const wrongCode = new TranslatedRefusal('invalid_request', ({ enrolment }) => enrolment.addApp.wrong)

function placeIn(request: FastifyRequest): Place {
  return placeOf(parseForm(queryOf(request.url)))
}

/** Enrols a factor. Where that needs a recent login, the browser goes to the login page first and then returns. */
async function enrolling(
  request: FastifyRequest,
  reply: FastifyReply,
  { place, page }: { place: Place; page: string },
  deps: FactorDeps,
  enrol: (by: Enrolling) => Promise<FastifyReply> | FastifyReply,
): Promise<FastifyReply> {
  const status = request.method === 'GET' ? 302 : 303
  const owner = ownerAt(place, request, deps)
  try {
    // The language is asked for first, because an enrolment gives the session a new secret.
    if (owner !== undefined)
      return await enrol({ owner, place, language: await languageAt(place, request, deps) })
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'login_required') throw error
  }
  if (place.of === 'login') return reply.redirect(loginAddress(place.returnTo), status)
  return confirmFirst(reply, secondFactorAddress(place.returnTo, place.of, page), status)
}

async function showPasskey(
  request: FastifyRequest,
  reply: FastifyReply,
  { owner, place, language, refusal, name }: Enrolling & FormState,
  { identity }: FactorDeps,
): Promise<FastifyReply> {
  const { options } = await identity.beginPasskeyEnrolment({ owner })
  if (options === undefined)
    throw new TranslatedRefusal('not_found', ({ enrolment }) => enrolment.addPasskey.unavailable)
  if (refusal) markRefused(request, reply, refusal)
  const texts = textsIn(language)
  const content = {
    ...place,
    options,
    name: name ?? browserName(request.headers['user-agent'] ?? '', texts),
    problem: refusal && explanationOf(refusal, texts),
  }
  return sendPage(reply, 'enrol-passkey', content, { scripts: true, language })
}

async function showApp(
  request: FastifyRequest,
  reply: FastifyReply,
  { owner, place, language, refusal }: Enrolling & FormState,
  { identity }: FactorDeps,
): Promise<FastifyReply> {
  const { secret, uri } = await identity.beginAppEnrolment({ owner })
  if (secret === undefined || uri === undefined)
    throw new TranslatedRefusal('not_found', ({ enrolment }) => enrolment.addApp.unavailable)
  if (refusal) markRefused(request, reply, refusal)
  const content = {
    ...place,
    // Groups of four, as people read and type them; apps ignore the spaces.
    secret: secret.replace(/.{4}(?=.)/g, '$& '),
    uri,
    picture: renderSVG(uri, { border: 4 }),
    problem: refusal && explanationOf(refusal, textsIn(language)),
  }
  return sendPage(reply, 'enrol-app', content, { scripts: true, language })
}

/** Leads to the page with the recovery codes that come with the first factor, or goes on. */
async function enrolled(
  request: FastifyRequest,
  reply: FastifyReply,
  { place, factor }: Enrolling & { factor: FactorEnrolled },
  { sessions, pendingLogins, newCodes }: FactorDeps,
): Promise<FastifyReply> {
  const { session, recoveryCodes: codes } = factor
  if (session)
    sessions.begin(request, reply, session, place.of === 'login' ? pendingLogins.markOf(request) : undefined)
  if (place.of === 'login') pendingLogins.end(reply)
  const next = place.returnTo ?? (session?.user && adminRoleOf(session.user) ? '/admin' : '/account')
  if (codes.length === 0) return reply.redirect(next, 303)
  const { sessionId } = session?.session ?? (await sessions.of(request)) ?? {}
  if (sessionId === undefined) throw new Error('the new recovery codes belong to no session')
  return showNewCodes(reply, { codes, replaced: false, sessionId, next }, newCodes)
}
