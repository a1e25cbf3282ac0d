import type { App } from '@gatehouse/http/app'
import { errorContent } from '../../error-content.ts'
import { answerError } from '../../errors.ts'
import { en } from '../../texts/en.ts'
import { sendAdminPage } from './page.ts'

/** The lists, by their paths. */
const lists: readonly [path: string, name: string][] = [
  ['/admin/clients', 'clients'],
  ['/admin/tokens', 'tokens'],
  ['/admin/users', 'users'],
  ['/admin/keys', 'keys'],
  ['/admin/audit', 'audit log'],
  ['/admin/logins', 'logins'],
]

/** Shows the errors of a fastify scope on pages that lead administrators back to the list that they came from. */
export function answerErrorsToAdministrators(pages: App): void {
  pages.setErrorHandler((error, request, reply) => {
    // The guard has not accepted the caller as an administrator.
    if (request.administrator === null) return answerError(error, request, reply)
    answerError(error, request, reply, (_request, reply, refusal) => {
      const { heading, description, advice, code } = errorContent(request, refusal, en)
      const [path, name] = lists.find(([path]) => request.url.startsWith(path)) ?? ['/admin', 'dashboard']
      return sendAdminPage(request, reply, 'admin/error', {
        heading,
        description,
        code,
        advice: advices[code] ?? advice,
        section: path,
        link: { href: path, text: `Back to the ${name}` },
      })
    })
  })
}

/** Advice for administrators where the advice for users of apps does not fit. */
const advices: Readonly<Record<string, string>> = {
  invalid_request: 'Go back and start again. Nothing was changed.',
  not_found: 'Somebody may have deleted it, or the address is mistyped.',
  access_denied: 'Nothing was changed.',
}
