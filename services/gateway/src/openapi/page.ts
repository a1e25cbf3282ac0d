import type { FastifySwaggerUiConfigOptions } from '@fastify/swagger-ui'

/**
 * Swagger UI sends parameters that were left empty, unless the box "Send empty value" is unticked. Without that box it does
 * not send them. The page contains this function's source text, so it cannot use anything from outside.
 */
const leaveOutEmptyValues = () => ({ components: { ParameterIncludeEmpty: () => null } })

/** The colors that the reader's system asks for. Its source text is in the page, too. */
const followColors = () => {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  follow()
  dark.addEventListener('change', follow)
  return {}
}

/** A part of Swagger UI, as its plugins see it. */
type ApiPage = {
  authActions: { authorize(values: object): void }
  specSelectors: { specJson(): { getIn(path: string[]): { toJS(): object } } }
}
type Answer = { ok: boolean; body?: { access_token?: string; scope?: string } }

/**
 * A token that somebody got on the page authorizes the operations that they try out next. For those of the administration it does so
 * only if it may: otherwise the session of the browser goes on to count. Its source text is in the page, too.
 */
const useIssuedToken = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        setResponse:
          (setResponse: (...words: unknown[]) => unknown, page: ApiPage) =>
          (path: string, method: string, answer: Answer) => {
            const { access_token: value, scope = '' } = answer.body ?? {}
            if (path === '/oauth/token' && answer.ok && value) {
              const schemes = ['accessToken', ...(/(^| )admin(:| |$)/.test(scope) ? ['adminToken'] : [])]
              for (const name of schemes) {
                const schema = page.specSelectors
                  .specJson()
                  .getIn(['components', 'securitySchemes', name])
                  .toJS()
                page.authActions.authorize({ [name]: { name, schema, value } })
              }
            }
            return setResponse(path, method, answer)
          },
      },
    },
  },
})

/** How Swagger UI shows the API. */
export const pageSettings: FastifySwaggerUiConfigOptions = {
  // The operations of a group are shown when it is opened: all of them at once take seconds, at each key that is typed.
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Such as the profiles that have an operation.
  showExtensions: true,
  // The validator is somebody else's website.
  validatorUrl: null,
  // The layout without the top bar, which has a field for loading other documents.
  layout: 'BaseLayout',
  plugins: [leaveOutEmptyValues, followColors, useIssuedToken],
}

/** The Content-Security-Policy of the page, which may load its own files. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
