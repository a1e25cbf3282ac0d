import { createHmac } from 'node:crypto'
import accepts from '@fastify/accepts'
import cookie from '@fastify/cookie'
import { languageTags } from '@gatehouse/proto/people/languages'
import fc from 'fast-check'
import fastify from 'fastify'
import { createSocialBrowsers } from '../../../services/gateway/src/people/logins/social-browser.ts'
import { languageOf } from '../../../services/gateway/src/people/pages/page-language.ts'
import { createQuestions } from '../../../services/gateway/src/people/pages/questions.ts'
import {
  createBrowserSessions,
  sessionCookie,
} from '../../../services/gateway/src/people/session/browser-session.ts'
import { createPendingLogins } from '../../../services/gateway/src/people/session/pending-logins.ts'
import { createSealedCookie } from '../../../services/gateway/src/people/session/sealed-cookie.ts'
import { texts } from '../inputs.ts'
import { must, target } from '../target.ts'

const key = 'a key of at least thirty-two characters'
const secret = 's'.repeat(43)
const signed = (value: string) =>
  `${value}.${createHmac('sha256', key).update(value).digest('base64').replaceAll('=', '')}`

/** The cookies that this server has set: their names and the signed values. */
const ours: [string, string][] = [
  [sessionCookie, secret],
  ['gatehouse_known', `${'ab'.repeat(32)}.${'cd'.repeat(32)}`],
  ['gatehouse_social', `social.${secret}`],
  ['gatehouse_login', `pending.${secret}`],
  ['gatehouse_typed', 'typed:mark:digest'],
]
const sessions = createBrowserSessions({} as never, { secure: false, bound: [], organizations: true })
const socials = createSocialBrowsers(false)
const pending = createPendingLogins(false)
const now = () => 1_800_000_000_000
const questions = createQuestions<{ scope: string }>('consent', key, now)
const question = questions.write({ scope: 'read' })

const sealed = createSealedCookie<{ code: string }>({
  ...{ name: 'gatehouse_sealed', path: '/', lifetime: 300, key, secure: false, now },
})
const sealedFor = (boundTo: string) => {
  let value = ''
  const setCookie = (_name: string, set: string) => {
    value = set
  }
  sealed.set({ setCookie } as never, { code: 'c' }, boundTo)
  return `gatehouse_sealed=${value}`
}
const [ofSession, ofAnother] = [sealedFor(secret), sealedFor('another')]

const app = fastify()
await app.register(cookie, { secret: key })
await app.register(accepts)
app.get('/', async (request) => ({
  session: sessions.secretOf(request),
  known: sessions.knownUsers(request),
  socials: socials.secretsOf(request),
  pending: pending.secretOf(request),
  sealed: sealed.read(request, secret),
  language: languageOf(request),
}))

const headers = texts(
  [
    ...ours.flatMap(([name, value]) => [name, signed(value), encodeURIComponent(signed(value)), value]),
    ...['=', ';', '; ', '"', ',', '%', '.', 'gatehouse_', 'a=b', '$Version=1', secret, ofSession, ofAnother],
  ],
  fc
    .shuffledSubarray(ours)
    .map((some) => some.map(([name, value]) => `${name}=${encodeURIComponent(signed(value))}`).join('; ')),
)
const languages = texts(
  ['en', 'de', '-', ';q=', '0.5', ',', '*', 'zh-Hans-CN', ' ', '1e9', ';'],
  fc.constant('de-CH, en;q=0.5'),
)
/** The part of a text that Node's own parser lets into a header, up to its limit. */
const asHeader = (text: string) => text.replace(/[^\t\x20-\x7e]/g, '').slice(0, 8_000)

/** Cookies: only what this server signed is read, each in its own place. */
const cookies = target({
  name: 'cookies',
  reads: [
    'gateway/src/people/session/browser-session.ts#createBrowserSessions',
    'gateway/src/people/logins/social-browser.ts#createSocialBrowsers',
    'gateway/src/people/session/pending-logins.ts#createPendingLogins',
    'gateway/src/people/session/sealed-cookie.ts#createSealedCookie',
    'gateway/src/people/pages/page-language.ts#languageOf',
  ],
  inputs: fc.record({ cookies: headers, languages }),
  async check({ cookies: sent, languages: accepted }) {
    const response = await app.inject({
      url: '/',
      headers: { cookie: asHeader(sent), 'accept-language': asHeader(accepted) },
    })
    must(response.statusCode === 200, `the status ${response.statusCode}`)
    const read = response.json()
    must(
      [undefined, secret].includes(read.session) && [undefined, secret].includes(read.pending),
      'a secret that was not signed',
    )
    must(
      read.socials.every((one: string) => one === secret),
      'a secret of a social login that was not signed',
    )
    if (read.sealed !== undefined)
      must(
        read.sealed.code === 'c' && asHeader(sent).includes(ofSession),
        'what was sealed for another session',
      )
    must(languageTags.includes(read.language), 'no language of ours')
    // A session must be its cookie's own value; every other value that was signed is no secret there.
    if (read.session !== undefined)
      must(
        asHeader(sent).includes(createHmac('sha256', key).update(secret).digest('base64').slice(0, 10)),
        'a session without its signature',
      )
  },
})

/** The signed questions in the forms of pages. */
const signedQuestions = target({
  name: 'question',
  reads: ['gateway/src/people/pages/questions.ts#createQuestions'],
  inputs: texts([question, '.', 'consent', ...ours.map(([, value]) => signed(value))], fc.constant(question)),
  check(text) {
    const read = questions.read(text)
    must((read !== undefined) === (text === question), 'a question that was not asked')
  },
})

/** Targets of what browsers send. */
export const browserTargets = [cookies, signedQuestions]
