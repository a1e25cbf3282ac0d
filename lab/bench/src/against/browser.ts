import { type CookieJar, cookieHeader, keepCookies } from '@gatehouse/test/browser/browser-login'
import { send } from '../http.ts'
import { type Received, redirectUri } from './app.ts'

/** A browser with the cookies of one site. */
export type Browser = {
  /** Its cookies, as it sends them. */
  cookie(): string
  ask(url: string, form?: Record<string, string>): Promise<Received>
  /** Follows the redirects of an answer on the site. @returns the first answer that leads to the app, or is none */
  follow(answer: Received, base: string): Promise<Received>
}

/** Opens a browser. @param cookie the cookies that it already has */
export function openBrowser(cookie = ''): Browser {
  const jar: CookieJar = new Map()
  keepCookies(jar, cookie.split('; ').filter(Boolean))

  async function ask(url: string, form?: Record<string, string>): Promise<Received> {
    const headers = { accept: 'text/html', ...(jar.size > 0 && { cookie: cookieHeader(jar) }) }
    const answer = await send(url, { headers, ...(form && { form }) })
    keepCookies(jar, answer.headers['set-cookie'] ?? [])
    return answer
  }

  return {
    cookie: () => cookieHeader(jar),
    ask,
    async follow(answer, base) {
      let last = answer
      while (last.headers.location && !last.headers.location.startsWith(redirectUri))
        last = await ask(new URL(last.headers.location, base).href)
      return last
    },
  }
}
