// Passkeys: asks the browser, and sends its answer with the form that it belongs to. What a form does is in its attribute
// data-passkey: "login" (any passkey, offered in the field for the user name too), "prove" or "enrol".

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0))

const textOf = (buffer) =>
  btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const known = (passkeys = []) => passkeys.map((passkey) => ({ ...passkey, id: bytesOf(passkey.id) }))

/** Asks for a passkey. @returns AuthenticationResponseJSON (WebAuthn Level 3 section 5.1) */
async function get(options, more) {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    allowCredentials: known(options.allowCredentials),
  }
  const { id, type, response } = await navigator.credentials.get({ publicKey, ...more })
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  const answer = {
    clientDataJSON: textOf(clientDataJSON),
    authenticatorData: textOf(authenticatorData),
    signature: textOf(signature),
    ...(userHandle && { userHandle: textOf(userHandle) }),
  }
  return { id, rawId: id, type, response: answer, clientExtensionResults: {} }
}

/** Makes a passkey. @returns RegistrationResponseJSON */
async function create(options) {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: known(options.excludeCredentials),
  }
  const { id, type, response } = await navigator.credentials.create({ publicKey })
  const answer = {
    clientDataJSON: textOf(response.clientDataJSON),
    attestationObject: textOf(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  }
  return { id, rawId: id, type, response: answer, clientExtensionResults: {} }
}

function send(form, answer) {
  form.elements.passkey.value = JSON.stringify(answer)
  form.submit()
}

/** Shows one of the problems that the form knows. */
function show(form, problem) {
  for (const line of form.querySelectorAll('[data-problem]')) line.hidden = line.dataset.problem !== problem
}

/** Does what the user asked for by a button, and says if it failed. */
async function attempt(form, work) {
  show(form, undefined)
  try {
    send(form, await work())
  } catch (error) {
    // A newer question took the place of this one.
    if (error.name === 'AbortError') return
    const problem = { InvalidStateError: 'taken', NotSupportedError: 'unsupported' }[error.name]
    show(form, form.querySelector(`[data-problem="${problem}"]`) ? problem : 'cancelled')
  }
}

/** A question is good for ten minutes; one that waits in a field is asked anew before that. */
const renewal = 9 * 60_000

function offerLogin(form) {
  let waiting = new AbortController()
  const ask = async (mediation) => {
    waiting.abort()
    waiting = new AbortController()
    const { signal } = waiting
    const answer = await fetch('/auth/passkey/options', { method: 'POST', signal })
    const options = answer.ok ? await answer.json() : null
    if (options === null) throw new Error('the server asks for no passkey')
    return get(options, { mediation, signal })
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    attempt(form, () => ask('optional'))
  })
  const wait = async () => {
    try {
      send(form, await ask('conditional'))
    } catch {
      // Nobody has asked for anything yet: the button says what is wrong.
    }
  }
  // After a refusal the field offers nothing: a program that answers by itself would be refused again and again.
  if (form.dataset.refused !== undefined) return
  PublicKeyCredential.isConditionalMediationAvailable?.().then((available) => {
    if (!available) return
    wait()
    setInterval(wait, renewal)
  })
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  const { passkey, options } = form.dataset
  const supported = typeof PublicKeyCredential === 'function'
  if (passkey === 'login') {
    form.hidden = !supported
    if (supported) offerLogin(form)
  } else {
    form.hidden = false
    if (!supported) show(form, 'unsupported')
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      const question = JSON.parse(options)
      attempt(form, () => (passkey === 'enrol' ? create(question) : get(question)))
    })
  }
}
