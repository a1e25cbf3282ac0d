import type { AddressInfo } from 'node:net'
import { parse } from 'node:querystring'
import fastify from 'fastify'
import { receiveSettings } from './rivals.ts'

/** The ceiling of a gateway in Node.js: it reads a form, answers JSON of the same size as Gatehouse's, and does nothing else. */
const { answers } = await receiveSettings()
const app = fastify()
app.addContentTypeParser(
  'application/x-www-form-urlencoded',
  { parseAs: 'string' },
  (_request, body, done) => {
    done(null, parse(body as string))
  },
)
const token = JSON.parse(answers.issue)
const introspection = JSON.parse(answers.introspect)
app.post('/oauth/token', async () => token)
app.post('/oauth/introspect', async () => introspection)
await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ port: (app.server.address() as AddressInfo).port })
