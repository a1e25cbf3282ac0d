import { directionOf, type Language } from '@gatehouse/proto/people/languages'
import { program } from '@gatehouse/test/programs/programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Setting, startSetting } from './support/setting.ts'
import { type Cast, castOf, speak, translatedPages } from './support/translated-pages.ts'
import { expectToFit, expectUsable } from './support/usable.ts'

/**
 * The pages of the languages differ only in their words and their direction: no language has longer words than German, and
 * Japanese has no spaces. Tests of the gateway look at the words of all of them. Axe checks a language for each direction.
 */
const tried: readonly Language[] = ['en', 'de', 'ja', 'ar']
const checkedWithAxe: readonly Language[] = ['en', 'ar']
/** In pixels. Axe looks at the last one. */
const [wide, narrow] = [1280, 360]

/** A colour that nobody could read on white, nor white on it. */
const brand = {
  OAUTH2_BRAND_COLOR: '#ffd400',
  OAUTH2_BRAND_TERMS_URL: 'https://example.com/terms',
  OAUTH2_BRAND_PRIVACY_URL: 'https://example.com/privacy',
  OAUTH2_BRAND_SUPPORT_URL: 'https://example.com/help',
}

const chromium = await program('chromium')

describe.skipIf(!chromium)('the pages for people', () => {
  let setting: Setting
  let cast: Cast
  beforeAll(async () => {
    setting = await startSetting({
      OAUTH2_PROFILE: 'openid',
      OAUTH2_REGISTRATION: 'open',
      OAUTH2_SIGNUP: 'open',
      ...brand,
    })
    cast = await castOf(setting)
  })
  afterAll(() => setting?.stop())

  test.each(tried)(
    'fit in a small window and in a large one, and are accessible, light and dark: %s',
    { timeout: 180_000 },
    async (language) => {
      await speak(cast, language)
      for (const [name, open] of Object.entries(translatedPages)) {
        const page = await open(cast)
        const html = page.locator('html')
        const attributes = [await html.getAttribute('lang'), await html.getAttribute('dir')]
        expect([name, ...attributes]).toEqual([name, language, directionOf(language)])
        await (checkedWithAxe.includes(language)
          ? expectUsable(page, [wide, narrow])
          : expectToFit(page, [narrow]))
      }
    },
  )

  test('the login and the consent page are in the language that the app asks for', async () => {
    await speak(cast, 'de')
    const address = setting.app.authorizeAddress(cast.clients.ordinary, {
      prompt: 'consent',
      ui_locales: 'tlh ja',
    })
    for (const page of [cast.stranger, cast.user]) {
      await page.goto(address)
      expect(await page.locator('html').getAttribute('lang')).toBe('ja')
    }
  })
})
