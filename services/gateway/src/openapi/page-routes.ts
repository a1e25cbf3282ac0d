import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import fastify from 'fastify'
import { once, type SharedDocument, sendShared, sharedDocument } from '../http/shared-document.ts'
import { pagePolicy, pageSettings } from './page.ts'

const prefix = '/swagger-ui'
/** The files beside those of the package's folder `static`. */
const paths = ['', '/', '/json', '/yaml', '/static/swagger-initializer.js']
const files = [
  'favicon-16x16.png',
  'favicon-32x32.png',
  'index.css',
  'logo.svg',
  'oauth2-redirect.html',
  'oauth2-redirect.js',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'swagger-ui.css',
  'swagger-ui.js',
]

/**
 * Serves a page about the API. Its files are made once: the plug-in that makes them would read them from the disk, or write them
 * anew, for each request, as often as anybody likes.
 * @param describe gives the OpenAPI document
 */
export function apiPage(app: App, describe: () => object): void {
  const make = once(() => pageMaker(describe()))
  const names = new Set([...paths, ...files.map((file) => `/static/${file}`)])
  const made = new Map<string, Promise<SharedDocument>>()

  async function documentAt(path: string): Promise<SharedDocument> {
    if (!names.has(path)) throw new Refusal('not_found')
    const known = made.get(path)
    if (known) return known
    const making = make().then((maker) => maker(path))
    made.set(path, making)
    // A file that could not be read is read again.
    making.catch(() => made.delete(path))
    return making
  }

  for (const url of [prefix, `${prefix}/*`]) {
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      const path = (request.url.split('?', 1)[0] ?? '').slice(prefix.length)
      if (path === '/static/index.html') return reply.redirect(`${prefix}/`)
      const document = await documentAt(path)
      reply.headers({
        'content-security-policy': pagePolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
      })
      return sendShared(request, reply, document)
    })
  }
}

/** @returns a function that makes a file of the page */
async function pageMaker(document: object): Promise<(path: string) => Promise<SharedDocument>> {
  const maker = fastify()
  await maker.register(swagger, { mode: 'static', specification: { document } } as never)
  await maker.register(swaggerUi, {
    routePrefix: prefix,
    uiConfig: pageSettings,
    theme: { title: 'Gatehouse API', favicon: [] },
  })
  return async (path) => {
    const { statusCode, headers, rawPayload } = await maker.inject(`${prefix}${path}`)
    if (statusCode !== 200) throw new Error(`the API page has no file ${path}: ${statusCode}`)
    return sharedDocument(rawPayload, String(headers['content-type']))
  }
}
