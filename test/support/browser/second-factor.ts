import { browse, type CookieJar, hiddenFields, type Site, submit } from './browser-login.ts'
import { appCodeOf } from './totp.ts'

/** A user's authenticator app, with the recovery codes that came with it. */
export type EnrolledApp = {
  /** The code of the next time step that was not used yet, which the server accepts one step early. */
  nextCode(): Promise<string>
  recoveryCodes: string[]
}

/**
 * Sets up an authenticator app with the pages.
 * @param jar the cookies of a browser in which the user has just logged in, or of a login that waits for the enrolment
 * @param of the owner of the pages
 * @throws Error when the enrolment is refused
 */
export async function enrolApp(
  system: Site,
  jar: CookieJar,
  of: 'session' | 'login' = 'session',
): Promise<EnrolledApp> {
  const path = '/auth/second-factor/app'
  const page = await (await browse(system, jar, `${path}?of=${of}&return_to=/account`)).text()
  const secret = /<code class="secret"[^>]*>([A-Z2-7 ]+)<\/code>/.exec(page)?.[1]
  if (secret === undefined) throw new Error(`the page has no secret: ${page}`)
  let used = stepAt(Date.now())
  const code = appCodeOf(secret, used * stepLength)
  const answer = await submit(system, jar, path, { ...hiddenFields(page), code })
  return {
    recoveryCodes: await recoveryCodesAfter(system, jar, answer),
    async nextCode() {
      used += 1
      // A step may be used when it comes next, not earlier.
      const wait = (used - 1) * stepLength - Date.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      used = Math.max(used, stepAt(Date.now()))
      return appCodeOf(secret, used * stepLength)
    },
  }
}

/**
 * Reads the new recovery codes on the page to which a form leads.
 * @throws Error when it leads to no such page
 */
export async function recoveryCodesAfter(system: Site, jar: CookieJar, answer: Response): Promise<string[]> {
  const location = answer.headers.get('location')
  const shown = location?.startsWith('/account/new-recovery-codes') && (await browse(system, jar, location))
  const text = await (shown || answer).text()
  const codes = [...text.matchAll(/<li><code>([\da-z-]+)<\/code>/g)].map(([, one = '']) => one)
  if (codes.length === 0) throw new Error(`the form was answered ${answer.status} ${location} ${text}`)
  return codes
}

const stepLength = 30_000
const stepAt = (time: number) => Math.floor(time / stepLength)

/** Sends the form of the page that asks for the second factor. */
export function proveFactor(system: Site, jar: CookieJar, fields: Record<string, string>): Promise<Response> {
  return submit(system, jar, '/auth/second-factor', fields)
}
