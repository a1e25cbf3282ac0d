import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { receiveSettings } from './peers/rivals.ts'

// Accepts spans by OTLP/HTTP and discards them. It only counts those of token requests, and does not parse them, because it shares
// the machine with the measured system.
await receiveSettings()
const requestSpan = Buffer.from('"name":"POST /oauth/token"')
let recorded = 0
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.once('end', () => {
    const body = Buffer.concat(chunks)
    for (let at = body.indexOf(requestSpan); at >= 0; at = body.indexOf(requestSpan, at + requestSpan.length))
      recorded += 1
    response.setHeader('content-type', 'application/json')
    response.end(request.method === 'POST' ? '{}' : JSON.stringify({ recorded }))
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
