import { directionOf, languageTags } from '@gatehouse/proto/languages'
import { program } from '@gatehouse/test/programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Setting, startSetting } from './setting.ts'
import { type Cast, castOf, speak, translatedPages } from './translated-pages.ts'
import { expectUsable } from './usable.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('the pages for people', () => {
  let setting: Setting
  let cast: Cast
  beforeAll(async () => {
    setting = await startSetting({
      OAUTH2_PROFILE: 'openid',
      OAUTH2_REGISTRATION: 'open',
      OAUTH2_SIGNUP: 'open',
    })
    cast = await castOf(setting)
  })
  afterAll(() => setting?.stop())

  test.each(languageTags)(
    'fit in a small window and are accessible, light and dark: %s',
    async (language) => {
      await speak(cast, language)
      for (const [name, open] of Object.entries(translatedPages)) {
        const page = await open(cast)
        const html = page.locator('html')
        const said = [await html.getAttribute('lang'), await html.getAttribute('dir')]
        expect([name, ...said]).toEqual([name, language, directionOf(language)])
        await expectUsable(page, [360])
      }
    },
  )
})
