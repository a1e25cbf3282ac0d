import { BenchFailure } from './failure.ts'
import type { Gatehouse } from './gatehouse.ts'
import { send } from './http.ts'
import { shareOf } from './measuring/statistics.ts'

/** The longest 95th percentile of a page's time, in milliseconds. */
export const longestWait = 200

/** How long the pages of one kind took, in milliseconds. */
export type PageTimes = { page: string; p50: number; p95: number }

const username = 'admin'
const password = 'the password of the administrator'

/** The variables that a system needs for the measurement of its pages. */
export const adminVariables = { OAUTH2_SEED_USERNAME: username, OAUTH2_SEED_PASSWORD: password }

/** How often each page is requested, and how far lists are read. */
const times = 40

/**
 * Measures how long an administrator waits: the console’s page and each list of the API, one request after the other, and lists
 * from page to page. All stored tokens belong to one client, so its list is the longest possible.
 * @throws BenchFailure when the login or a page is refused
 */
export async function measureAdminPages(gatehouse: Gatehouse): Promise<PageTimes[]> {
  const headers = { cookie: await logInAdministrator(gatehouse) }
  const { clientId } = gatehouse.credentials
  const ask = async (path: string) => {
    const start = performance.now()
    const { status, text } = await send(`${gatehouse.url}${path}`, { headers })
    if (status !== 200) throw new BenchFailure(`${path} was answered ${status}`)
    return { took: performance.now() - start, text }
  }

  const results: PageTimes[] = []
  const lists = [
    'clients',
    'tokens',
    `tokens?client_id=${clientId}`,
    'users',
    'keys',
    'audit',
    'logins',
    'mails',
  ]
  const details = [`clients/${clientId}`, `clients/${clientId}/usage`, 'usage', 'status', 'me']
  for (const path of ['', ...[...lists, ...details].map((name) => `/api/${name}`)]) {
    const waits: number[] = []
    for (let count = 0; count < times; count += 1) waits.push((await ask(`/admin${path}`)).took)
    results.push(timesOf(`/admin${path}`.replace(clientId, '…'), waits))
  }
  for (const owner of ['', `&client_id=${clientId}`]) {
    const waits: number[] = []
    let cursor = ''
    for (let count = 0; count < times; count += 1) {
      const list = `/admin/api/tokens?limit=200${owner}${cursor && `&cursor=${cursor}`}`
      const { took, text } = await ask(list)
      waits.push(took)
      cursor = encodeURIComponent(JSON.parse(text).next_cursor ?? '')
      if (cursor === '') break
    }
    results.push(timesOf(`/admin/api/tokens${owner && '?client_id=…'}, page by page`, waits))
  }
  return results
}

/**
 * Logs the administrator of adminVariables in.
 * @returns the cookies
 * @throws BenchFailure when the login is refused
 */
export async function logInAdministrator({
  url,
  system,
}: Pick<Gatehouse, 'url' | 'system'>): Promise<string> {
  const { origin } = new URL(system.baseUrl)
  const { status, headers } = await send(`${url}/auth/login`, {
    form: { username, password },
    headers: { accept: 'text/html', origin, 'sec-fetch-site': 'same-origin' },
  })
  const cookie = headers['set-cookie']?.map((one) => one.split(';', 1)[0]).join('; ')
  if (status !== 303 || !cookie) throw new BenchFailure(`The administrator’s login was answered ${status}`)
  return cookie
}

function timesOf(page: string, waits: readonly number[]): PageTimes {
  return { page, p50: shareOf(waits, 0.5), p95: shareOf(waits, 0.95) }
}
