import { browse, type CookieJar, hiddenFields } from '@gatehouse/test/browser/browser-login'

/** The password of everybody at a provider. */
export const password = 'the password of everybody here'

/** Somebody at a provider, with the cookies of their browser there. */
export type Visiting = { username: string; jar: CookieJar }

/**
 * Answers the pages of a provider in a browser: fills in each form.
 * @param address the one to which Gatehouse sent the browser
 * @returns the address at which it comes back, and whether there was a form
 * @throws Error for a page without a form
 */
export async function answerPages(
  provider: { baseUrl: string },
  { username, jar }: Visiting,
  address: string,
): Promise<{ back: URL; asked: boolean }> {
  let at = new URL(address)
  let response = await browse(provider, jar, at)
  let asked = false
  for (let step = 0; step < 8; step += 1) {
    const location = response.headers.get('location')
    if (location !== null) {
      at = new URL(location, at)
      if (at.origin !== provider.baseUrl) return { back: at, asked }
      response = await browse(provider, jar, at)
      continue
    }
    asked = true
    response = await fillIn(provider, { username, jar }, await response.text())
  }
  throw new Error('the pages of the provider do not end')
}

/** Fills in the form of a page, and sends it. @throws Error for a page without one */
export function fillIn(
  provider: { baseUrl: string },
  { username, jar }: Visiting,
  page: string,
): Promise<Response> {
  const [, action] = /<form[^>]*action="([^"]*)"/.exec(page) ?? []
  if (action === undefined) throw new Error(`the provider shows a page without a form: ${page}`)
  const body = new URLSearchParams({ ...hiddenFields(page), username, password })
  return browse(provider, jar, action.replaceAll('&amp;', '&'), { method: 'POST', body })
}
