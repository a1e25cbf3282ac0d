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
  const jar = new Map(
    cookie
      .split('; ')
      .filter(Boolean)
      .map((one): [string, string] => [nameOf(one), one]),
  )
  const held = () => [...jar.values()].join('; ')

  async function ask(url: string, form?: Record<string, string>): Promise<Received> {
    const headers = { accept: 'text/html', ...(jar.size > 0 && { cookie: held() }) }
    const answer = await send(url, { headers, ...(form && { form }) })
    for (const set of answer.headers['set-cookie'] ?? []) {
      const [pair = ''] = set.split(';', 1)
      if (pair.endsWith('=') || /max-age=0/i.test(set)) jar.delete(nameOf(pair))
      else jar.set(nameOf(pair), pair)
    }
    return answer
  }

  return {
    cookie: held,
    ask,
    async follow(answer, base) {
      let last = answer
      while (last.headers.location && !last.headers.location.startsWith(redirectUri))
        last = await ask(new URL(last.headers.location, base).href)
      return last
    },
  }
}

function nameOf(pair: string): string {
  return pair.split('=', 1)[0] ?? ''
}
