import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../endpoint/endpoint.ts'
import { documentationSite } from '../endpoint/part.ts'
import { prefersHtml } from '../people/pages/errors.ts'
import { ownFilesOnly, pageHeaders } from '../people/pages/pages.ts'
import type { Site, SiteFile } from './site.ts'

const decompress = promisify(brotliDecompress)

/**
 * The documentation at /docs, for everybody. A page of it loads a dozen files, so its requests do not count in the limit for everything
 * else. Where the site was not built, the answer says how to build it.
 */
export const documentation = endpoint({
  name: 'documentation',
  door: 'anybody',
  part: documentationSite,
  limit: 'admin',
  routes: documentationRoutes,
})

/** @param needs.site looks up files by their whole path, so that no request reaches the file system */
function documentationRoutes(app: App, { site }: { site: Site | undefined }): void {
  const options = { schema: { hide: true }, config: { page: true } } as const
  if (site === undefined) {
    const refuse = async () => {
      throw new Refusal('not_found', 'The documentation was not built: run npm run docs, then restart.')
    }
    for (const path of ['/docs', '/docs/*']) app.get(path, options, refuse)
    return
  }
  app.get('/docs', options, (_request, reply) => reply.redirect('/docs/', 308))
  app.get<{ Params: { '*': string } }>('/docs/*', options, async (request, reply) => {
    const path = request.params['*']
    const file = site.get(path) ?? site.get(path === '' ? 'index.html' : `${path}.html`)
    // The pages' own addresses have no end; links between the files in the repository, and in alerts, have one.
    const page = path.replace(/(\/|\.html|\.md)$/, '')
    if (page !== path && site.has(`${page}.html`)) return reply.redirect(`/docs/${page}`, 308)
    if (file) return send(request, reply, file)
    const missing = site.get('404.html')
    if (missing === undefined || !prefersHtml(request)) throw new Refusal('not_found')
    return send(request, reply.code(404), missing)
  })
}

/** Answers with a file, or with 304 to a browser that has it (RFC 9110 section 13.1.2). */
async function send({ headers }: FastifyRequest, reply: FastifyReply, file: SiteFile): Promise<FastifyReply> {
  const { compressed, type, etag, immutable } = file
  reply.headers({
    ...pageHeaders(ownFilesOnly),
    'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    etag,
  })
  if (reply.statusCode === 200 && headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  reply.type(type)
  if (!headers['accept-encoding']?.includes('br')) return reply.send(await decompress(compressed))
  return reply.header('content-encoding', 'br').send(compressed)
}
