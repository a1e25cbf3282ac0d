import { request } from 'node:https'

/**
 * Asks one thing of an API server of Kubernetes on this machine.
 * @param path such as /api/v1/namespaces
 * @param body an object to create, as JSON or YAML
 * @returns its answer: an object, or text where it is no JSON
 * @throws Error with its answer when it refuses
 */
export function askApiServer(port: number, token: string, path: string, body?: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/yaml' },
      // Its certificate is one that it made for itself.
      rejectUnauthorized: false,
    }
    const sent = request(options, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      const isJson = response.headers['content-type']?.includes('json')
      if ((response.statusCode ?? 500) < 300) resolve(isJson ? JSON.parse(text) : text)
      else reject(new Error(`${path}: ${response.statusCode} ${text}`))
    })
    sent.on('error', reject).end(body)
  })
}
