import { Agent, type IncomingHttpHeaders, request } from 'node:http'

/** An answer, and the number of bytes received for it. */
export type Answer = { status: number; text: string; bytes: number }

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Posts one form or JSON text; 16 at a time, the others wait. */
export function post(
  url: string,
  body: string,
  type: 'application/x-www-form-urlencoded' | 'application/json' = 'application/x-www-form-urlencoded',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) }
    const sent = request(url, { method: 'POST', headers, agent, timeout: 10_000 })
    let before = 0
    sent.once('socket', (socket) => {
      before = socket.bytesRead
    })
    sent.once('timeout', () => sent.destroy(new Error(`no answer from ${url} within 10 s`)))
    sent.once('error', reject)
    sent.once('response', (response) => {
      const { socket, statusCode = 0 } = response
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.once('error', reject)
      response.once('end', () => resolve({ status: statusCode, text, bytes: socket.bytesRead - before }))
    })
    sent.end(body)
  })
}

const browsers = new Agent({ keepAlive: true })
/** How long an answer may take, in milliseconds: to be slow is a figure, and no failure. */
const patience = 30_000

/** The content of a request: a form or JSON, by POST unless it says otherwise, or nothing by GET. */
type Sent = {
  form?: Record<string, string>
  json?: object
  method?: 'PUT'
  headers?: Record<string, string>
}

/** Sends a request as a browser or an app does, without a limit of requests at a time. Redirects are not followed. */
export function send(
  url: string,
  { form, json, method, headers = {} }: Sent = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const body = json ? JSON.stringify(json) : form && new URLSearchParams(form).toString()
    const type = {
      'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(body ?? ''),
    }
    const sent = request(url, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...headers, ...(body !== undefined && type) },
      agent: browsers,
      timeout: patience,
    })
    const place = url.split('?', 1)[0]
    sent.once('timeout', () => sent.destroy(new Error(`no answer from ${place} within ${patience / 1000} s`)))
    sent.once('error', reject)
    sent.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.once('error', reject)
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      )
    })
    sent.end(body)
  })
}

/** Closes the open connections. */
export function closeConnections(): void {
  agent.destroy()
  browsers.destroy()
}
