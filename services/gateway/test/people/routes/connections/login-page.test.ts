import { expect, test } from 'vitest'
import { ann, browser } from '../../../../testing/browser.ts'

test('without organizations, the login page is what it was before there were connections', async () => {
  const { get } = await browser({}, ann)
  expect((await get('/auth/login?other=yes')).text).toBe((await get('/auth/login')).text)
})
