import { administratorOf } from '@gatehouse/admin-api/administrator'
import type { App } from '@gatehouse/http/app'
import { errorContent } from '../../error-content.ts'
import { answerError } from '../../errors.ts'
import { en } from '../../texts/en.ts'
import { sections, sectionsFor } from '../page-scope.ts'
import { sendAdminPage } from './page.ts'

/** Shows the errors of a fastify scope on pages that lead administrators back to the section that they came from, or to one that they may see. */
export function answerErrorsToAdministrators(pages: App): void {
  pages.setErrorHandler((error, request, reply) => {
    // The guard has not accepted the caller as an administrator.
    if (request.administrator === null) return answerError(error, request, reply)
    answerError(error, request, reply, (_request, reply, refusal) => {
      const { heading, description, advice, code } = errorContent(request, refusal, en)
      const from = sections.findLast(([path]) => request.url.startsWith(path))
      const readable = sectionsFor(administratorOf(request))
      const [path, name] = readable.find((section) => section === from) ??
        readable[0] ?? ['/account', 'your account']
      return sendAdminPage(request, reply, 'admin/error', {
        heading,
        description,
        code,
        advice: advices[code] ?? advice,
        section: path,
        link: { href: path, text: `Back to ${name}` },
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
