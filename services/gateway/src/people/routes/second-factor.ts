import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import type { Refusal } from '@gatehouse/kit/errors'
import {
  type ProveSecondFactorRequest,
  type SecondFactor,
  SecondFactorTask,
} from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageForm } from '../../http/schemas.ts'
import {
  confirmFirst,
  enrolmentAddresses,
  type FactorDeps,
  languageAt,
  ownerAt,
  type Place,
  provingBrowser,
  waitingAt,
} from '../account/factor-places.ts'
import { formTarget } from '../authorization/authorization.ts'
import { sendOn } from '../logins/after-login.ts'
import { markRefused } from '../pages/errors.ts'
import { pageRoute } from '../pages/page-route.ts'
import { sendPage } from '../pages/pages.ts'
import { loginAddress, returnPath, secondFactorAddress } from '../pages/return-to.ts'
import { explanationOf, TranslatedRefusal } from '../pages/translated-refusal.ts'
import { textsIn } from '../texts/table.ts'
import { type LoginDeps, showLogin } from './login.ts'

/** The needs of the page that asks for a second factor. */
export type SecondFactorDeps = FactorDeps & LoginDeps

const url = '/auth/second-factor'
const config = { page: true } as const

/** GET and POST /auth/second-factor: the page that asks for a second factor, or lets the user choose one to enrol. */
export function secondFactorRoutes(app: App, deps: SecondFactorDeps): void {
  pageRoute(app, {
    url,
    exposeHeadRoute: false,
    handler: (request, reply) =>
      showSecondFactor(request, reply, { place: placeOf(parseForm(queryOf(request.url))) }, deps),
  })

  app.route({
    method: 'POST',
    url,
    config,
    schema: pageForm('code', 'recovery_code', 'passkey', 'of', 'return_to'),
    async handler(request, reply) {
      const place = placeOf(request.body)
      const owner = ownerAt(place, request, deps)
      const factor = factorIn(request.body)
      if (owner === undefined) return reply.redirect(loginAddress(place.returnTo), 303)
      if (factor === undefined) return showSecondFactor(request, reply, { place, refusal: missing }, deps)
      const browser = provingBrowser(request, deps)
      const { outcome } = await deps.identity.proveSecondFactor({ owner, factor, browser })
      switch (outcome?.$case) {
        case 'session': {
          deps.pendingLogins.end(reply)
          const mark = place.of === 'login' ? deps.pendingLogins.markOf(request) : undefined
          const on = { session: outcome.value, returnTo: place.returnTo, status: 303, mark } as const
          return sendOn(request, reply, on, deps.sessions)
        }
        case 'throttled': {
          const refusal = tooManyCodes(outcome.value.retryAfterSeconds)
          return showSecondFactor(request, reply, { place, refusal }, deps)
        }
        case 'wrong':
          return showSecondFactor(request, reply, { place, refusal: wrong[factor.$case] }, deps)
        default:
          return loginEnded(request, reply, place, deps)
      }
    },
  })
}

/** Reads where a page about factors leads, from its query or its form. */
export function placeOf({ of, return_to: returnTo }: { of?: string; return_to?: string }): Place {
  return { of: of === 'session' ? 'session' : 'login', returnTo: returnPath(returnTo) }
}

/** The refusal of a code that was not checked. */
export function tooManyCodes(retryAfter: number): Refusal {
  const options = { retryAfter: Math.max(1, retryAfter) }
  return new TranslatedRefusal(
    'rate_limit_exceeded',
    ({ secondFactor }) => secondFactor.tooMany(options.retryAfter),
    options,
  )
}

const ended = new TranslatedRefusal('login_required', ({ secondFactor }) => secondFactor.ended)
const missing = new TranslatedRefusal('invalid_request', ({ secondFactor }) => secondFactor.missing)

const wrong = {
  appCode: new TranslatedRefusal('login_required', ({ secondFactor }) => secondFactor.wrongCode),
  recoveryCode: new TranslatedRefusal('login_required', ({ secondFactor }) => secondFactor.wrongRecoveryCode),
  passkey: new TranslatedRefusal('login_required', ({ passkey }) => passkey.refused),
}

type FactorForm = { code?: string; recovery_code?: string; passkey?: string }

function factorIn({
  code,
  recovery_code: recovery,
  passkey,
}: FactorForm): ProveSecondFactorRequest['factor'] {
  if (passkey) return { $case: 'passkey', value: passkey }
  if (recovery) return { $case: 'recoveryCode', value: recovery }
  return code ? { $case: 'appCode', value: code } : undefined
}

async function showSecondFactor(
  request: FastifyRequest,
  reply: FastifyReply,
  { place, refusal }: { place: Place; refusal?: Refusal },
  deps: SecondFactorDeps,
): Promise<FastifyReply> {
  const owner = ownerAt(place, request, deps)
  const { secondFactor } = owner ? await deps.identity.getSecondFactor({ owner }) : {}
  reply.header('cache-control', 'no-store')
  if (secondFactor === undefined) {
    if (refusal) return loginEnded(request, reply, place, deps)
    return reply.redirect(loginAddress(place.returnTo))
  }
  if (refusal) markRefused(request, reply, refusal)
  switch (secondFactor.task) {
    case SecondFactorTask.SECOND_FACTOR_TASK_PROVE:
      return askFor(request, reply, { place, secondFactor, refusal }, deps)
    case SecondFactorTask.SECOND_FACTOR_TASK_ENROL:
      return letChoose(request, reply, { place, secondFactor }, deps)
    default:
      return reply.redirect(place.returnTo ?? '/account')
  }
}

/** Says that the login must begin again, unless it was completed by the same form, sent twice. */
async function loginEnded(
  request: FastifyRequest,
  reply: FastifyReply,
  { returnTo }: Place,
  deps: SecondFactorDeps,
): Promise<FastifyReply> {
  deps.pendingLogins.end(reply)
  if (await deps.sessions.of(request)) return reply.redirect(returnTo ?? '/account', 303)
  return showLogin(request, reply, { returnTo, refusal: ended }, deps)
}

async function askFor(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    place,
    secondFactor,
    refusal,
  }: { place: Place; secondFactor: SecondFactor; refusal: Refusal | undefined },
  deps: SecondFactorDeps,
): Promise<FastifyReply> {
  const { of, returnTo } = place
  const { user, passkeyOptions, app, appsOffered, recoveryCodesLeft } = secondFactor
  const [waiting, language] = await Promise.all([waitingAt(place, deps), languageAt(place, request, deps)])
  const content = {
    username: user?.username ?? '',
    of,
    returnTo,
    passkeyOptions,
    app: app && appsOffered,
    recoveryCodesLeft,
    message: refusal && explanationOf(refusal, textsIn(language)),
    recovering: refusal === wrong.recoveryCode,
    loginHref: loginAddress(returnTo),
  }
  // The redirects after the form may lead to the client.
  const formTargets = waiting ? [formTarget(waiting.redirectUri)] : []
  return sendPage(reply, 'second-factor', content, { formTargets, scripts: true, language })
}

async function letChoose(
  request: FastifyRequest,
  reply: FastifyReply,
  { place, secondFactor }: { place: Place; secondFactor: SecondFactor },
  deps: SecondFactorDeps,
): Promise<FastifyReply> {
  const { user, passkeysOffered, appsOffered, fresh } = secondFactor
  if (!fresh) return confirmFirst(reply, secondFactorAddress(place.returnTo, place.of), 302)
  const { passkey, app } = enrolmentAddresses(place)
  const content = {
    username: user?.username ?? '',
    of: place.of,
    passkeyHref: passkeysOffered ? passkey : undefined,
    appHref: appsOffered ? app : undefined,
  }
  return sendPage(reply, 'enrol', content, { language: await languageAt(place, request, deps) })
}
