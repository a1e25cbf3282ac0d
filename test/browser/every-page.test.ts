import { program } from '@gatehouse/test/programs/programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { badPages, goodPages } from './support/pages.ts'
import { type Setting, startSetting } from './support/setting.ts'
import { expectUsable } from './support/usable.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('every page', () => {
  let setting: Setting
  beforeAll(async () => {
    setting = await startSetting()
  })
  afterAll(() => setting?.stop())

  test.each(Object.entries(goodPages))('%s: is accessible and causes no browser warning', async (_, open) => {
    setting.complaints.length = 0
    const page = await open(setting, {})
    expect(setting.complaints).toEqual([])
    await expectUsable(page)
    await page.context().close()
  })

  test.each(Object.entries(badPages))('%s: is accessible', async (_, open) => {
    setting.complaints.length = 0
    const page = await open(setting, {})
    // The browser may report it a moment after it has shown the page.
    await expect
      .poll(() => setting.complaints)
      .toEqual([expect.stringContaining('the server responded with a status of 4')])
    await expectUsable(page)
    await page.context().close()
  })
})
