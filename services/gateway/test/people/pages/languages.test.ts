import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { directionOf, type Language, languageTags } from '@gatehouse/proto/people/languages'
import { describe, expect, test } from 'vitest'
import { TranslatedRefusal } from '../../../src/people/pages/translated-refusal.ts'
import { textsIn } from '../../../src/people/texts/table.ts'
import { timesIn, waitIn } from '../../../src/people/texts/time.ts'
import { ann, browser, session } from '../../../testing/browser.ts'
import { errorOf } from '../../../testing/gateway.ts'

const record = (attributes: Record<string, string>) => ({
  ...{ ...ann, createdAt: new Date(0), disabledAt: undefined, hasPassword: true, socialAccounts: [] },
  attributes,
})
const ofAccount = (attributes: Record<string, string>) => ({
  identity: {
    getUser: async () => ({ user: record(attributes) }),
    listSessions: async () => ({ sessions: [session] }),
  },
})

test.each([
  ['de', 'de'],
  ['de-CH, en;q=0.5', 'de'],
  ['nl, fr;q=0.8, en;q=0.5', 'fr'],
  ['en;q=0.5, ja;q=0.9', 'ja'],
  ['pt-PT', 'pt'],
  ['zh-TW', 'zh-Hans'],
  ['de;q=0, es', 'es'],
  ['tlh', 'en'],
  ['*', 'en'],
  ['', 'en'],
  [';;;q=,x', 'en'],
])('a browser that accepts %j gets the page in %s', async (accepted, language) => {
  const { get } = await browser()
  const { headers, text } = await get('/auth/login', { 'accept-language': accepted })
  expect(headers).toMatchObject({ 'content-language': language, vary: 'accept-language' })
  expect(text).toContain(`<html lang="${language}" dir="ltr">`)
  expect(text).toContain(`<h1>${textsIn(language as 'de').login.heading}</h1>`)
})

test.each(languageTags)('%s: every page has its direction, and no text is missing', async (language) => {
  const accepted = { 'accept-language': language }
  const { get, post } = await browser(ofAccount({}), ann)
  const stranger = await browser()
  const pages = await Promise.all([
    get('/account', accepted),
    get('/account/details', accepted),
    get('/account/logins', accepted),
    post('/account/password', {}, accepted),
    stranger.get('/auth/login', accepted),
    stranger.post('/auth/login', { username: 'a', password: 'b' }, accepted),
    stranger.get('/nowhere', accepted),
    stranger.get('/auth/login/okta', accepted),
  ])
  for (const { text } of pages) {
    expect(text).toContain(`<html lang="${language}" dir="${directionOf(language)}">`)
    expect(text).not.toMatch(/undefined|\[object|=&gt;/)
  }
})

// Nothing compiles the templates.
test('a template reads no text that there is not', () => {
  const templates = join(import.meta.dirname, '../../../src/people/templates')
  const read = globSync('**/*.eta', { cwd: templates }).flatMap((name) => {
    const template = readFileSync(join(templates, name), 'utf8')
    const shortened = [...template.matchAll(/const (\w+) = it\.t\.([\w.]+)/g)].flatMap(([, short, path]) =>
      [...template.matchAll(new RegExp(`(?<![\\w.])${short}\\.([\\w.]+)`, 'g'))].map(
        ([, rest]) => `${path}.${rest}`,
      ),
    )
    return [...[...template.matchAll(/\bit\.t\.([\w.]+)/g)].map(([, path]) => path ?? ''), ...shortened]
  })
  const textAt = (path: string) =>
    path.split('.').reduce<unknown>((texts, key) => (texts as Record<string, unknown>)?.[key], textsIn('en'))
  expect(read.length).toBeGreaterThan(200)
  expect(read.filter((path) => textAt(path) === undefined)).toEqual([])
})

test('no language has longer words than German, which browsers are tried with in a small window', () => {
  const longest = (language: Language) =>
    Math.max(...wordsIn(textsIn(language)).map((word) => [...word].length))
  const [limit, ...others] = ['de', 'en', 'fr', 'es', 'pt', 'ar'].map((tag) => longest(tag as Language))
  expect(Math.max(...others)).toBeLessThanOrEqual(limit ?? 0)
})

/** The words of some texts. Those of a function are what it writes about a 1. */
function wordsIn(texts: unknown): string[] {
  if (typeof texts === 'function') return wordsIn(texts(1, 1, 1))
  if (typeof texts === 'object' && texts !== null) return Object.values(texts).flatMap(wordsIn)
  return String(texts).split(/\s+/)
}

describe('the account page', () => {
  test('is in the language of the account, whatever the browser accepts', async () => {
    const { get } = await browser(ofAccount({ locale: 'fr-CA' }), ann)
    const { headers, text } = await get('/account', { 'accept-language': 'de' })
    expect(headers['content-language']).toBe('fr')
    expect(text).toContain('Chrome sur Linux')
  })

  test('has times in the account’s time zone, and names it', async () => {
    const { get } = await browser(ofAccount({ locale: 'de', zoneinfo: 'America/New_York' }), ann)
    expect((await get('/account')).text).toContain('1. Jan. 2030, 05:00 GMT-5')
    const unknown = await browser(ofAccount({ zoneinfo: 'Mars/Olympus' }), ann)
    expect((await unknown.get('/account')).text).toContain('Jan 1, 2030, 10:00 UTC')
  })
})

test('a program gets an error in English, whatever it accepts', async () => {
  const { send } = await browser()
  const answer = await send('POST', '/auth/login', undefined, {
    accept: 'application/json',
    'accept-language': 'de',
    'content-type': 'application/x-www-form-urlencoded',
  })
  expect([answer.status, errorOf(answer)]).toEqual([401, 'login_required'])
  expect(answer.text).toContain('Enter your user name and your password.')
})

test('a refusal in words for people is in English for programs', () => {
  const refusal = new TranslatedRefusal('rate_limit_exceeded', (t) => t.login.tooMany(61))
  expect(refusal.description).toBe('Too many failed logins. Please try again later, in 2 minutes.')
  expect(refusal.explain(textsIn('de'))).toContain('in 2 Minuten')
})

test('waits and times are written as the language does', () => {
  expect([waitIn('en', 12), waitIn('fr', 61), waitIn('ja', 60)]).toEqual([
    'in 12 seconds',
    'dans 2 minutes',
    '1 分後',
  ])
  expect(timesIn('en', undefined)(new Date('2030-06-01T00:05:00Z'))).toBe('Jun 1, 2030, 00:05 UTC')
})
