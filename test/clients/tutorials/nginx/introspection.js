// Answers 204 to let a request through, and 401 or 403 to refuse it.
async function authorize(r) {
  const match = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(r.headersIn.Authorization || '')
  if (!match) return refuse(r, 401, 'Bearer')

  const token = match[1]
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  const digest = Buffer.from(hash).toString('hex')
  const body = `token=${encodeURIComponent(token)}`
  const answer = await r.subrequest('/_introspect', { method: 'POST', args: `digest=${digest}`, body })
  if (answer.status !== 200) {
    r.error(`the introspection was answered ${answer.status}`)
    return r.return(500)
  }

  const found = JSON.parse(answer.responseText)
  // A stored answer may be older than the end of the token.
  const valid =
    found.active && found.exp > Date.now() / 1000 && [].concat(found.aud).includes(r.variables.api)
  if (!valid) return refuse(r, 401, 'Bearer error="invalid_token"')
  const scope = r.variables.scope
  if (!found.scope.split(' ').includes(scope)) {
    return refuse(r, 403, `Bearer error="insufficient_scope", scope="${scope}"`)
  }
  r.headersOut['X-User'] = found.sub
  r.headersOut['X-Client'] = found.client_id
  r.return(204)
}

function refuse(r, status, challenge) {
  r.headersOut['X-Challenge'] = challenge
  r.return(status)
}

export default { authorize }
