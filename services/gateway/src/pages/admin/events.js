// Keeps the list of events up to date, and shows one in full.

const mostHeld = 1_000
const mostShown = 200
const retryMs = 5_000
const badges = { info: 'plain', warning: 'warning', error: 'off' }

const element = (id) => document.getElementById(id)
const [body, live, trouble, pause, full] = ['events', 'live', 'trouble', 'pause', 'full'].map(element)
const [type, origin] = ['type', 'origin'].map(element)

/** The services of this system, as the page names them. */
const own = new Set(body?.dataset.own.split(' '))
/** The newest first. */
let held = []
/** What came and is not shown yet, the oldest first. */
let incoming = []
let scheduled = false
/** What was held when somebody paused; undefined: nobody has. */
let frozen
/** The id of the last message. */
let position = ''

const isExternal = ({ producer }) => !own.has(producer)

function isWanted(envelope) {
  if (type.value !== '' && envelope.event.event_type !== type.value) return false
  return origin.value === '' || isExternal(envelope) === (origin.value === 'external')
}

function create(name, className = '', ...content) {
  const made = document.createElement(name)
  made.className = className
  made.append(...content)
  return made
}

function cell(label, className, ...content) {
  const made = create('td', className, ...content)
  made.dataset.label = label
  return made
}

function rowOf(envelope) {
  const { event, producer, produced_at: time } = envelope
  const external = isExternal(envelope)
  const link = create('a', '', event.event_type)
  link.href = addressOf(event.id)
  link.addEventListener('click', (click) => {
    if (click.ctrlKey || click.metaKey || click.shiftKey) return
    click.preventDefault()
    show(envelope)
  })
  const whom = [
    ['clients', event.client_id],
    ['users', event.user_id],
  ].filter(([, id]) => id)
  const ids = whom.flatMap(([kind, id], index) => {
    const shown = external ? id : create('a', '', id)
    if (!external) shown.href = `/admin/${kind}/${encodeURIComponent(id)}`
    return index === 0 ? [shown] : [create('br'), shown]
  })
  const outside = external ? [' ', create('span', 'badge outside', 'from outside')] : []
  return create(
    'tr',
    external ? 'external' : '',
    cell('Time (UTC)', 'time', time.slice(0, 19).replace('T', ' ')),
    cell('Type', 'name', link),
    cell('Severity', '', create('span', `badge ${badges[event.severity] ?? 'plain'}`, event.severity)),
    cell('Producer', 'name', create('span', '', producer, ...outside)),
    cell(
      'Client and user',
      ids.length > 0 ? 'id' : 'id empty',
      create('span', '', ...(ids.length > 0 ? ids : ['–'])),
    ),
    cell('Error', event.error ? 'id' : 'id empty', event.error || '–'),
  )
}

function addressOf(id) {
  const query = new URLSearchParams({ type: type.value, origin: origin.value, event: id ?? '' })
  for (const [name, value] of [...query]) if (value === '') query.delete(name)
  return query.size === 0 ? '/admin/events' : `/admin/events?${query}`
}

function show(envelope) {
  element('full-type').textContent = envelope.event.event_type
  element('full-external').hidden = !isExternal(envelope)
  element('full-envelope').textContent = JSON.stringify(envelope, null, 2)
  full.showModal()
}

/** Shows what is held anew. */
function drawAll() {
  body.replaceChildren(...(frozen ?? held).filter(isWanted).slice(0, mostShown).map(rowOf))
  drawFrame()
}

/** Puts what came on top, and leaves the other rows alone: one of them may have the focus. */
function drawNew(envelopes) {
  body.prepend(...envelopes.filter(isWanted).slice(0, mostShown).map(rowOf))
  while (body.rows.length > mostShown) body.lastElementChild.remove()
  drawFrame()
}

/** What is around the rows. */
function drawFrame() {
  const rows = body.rows.length
  const outside = body.querySelectorAll('tr.external').length
  element('table').hidden = rows === 0
  element('none').hidden = rows > 0
  element('none').textContent = held.length === 0 ? 'Nothing has happened yet.' : 'Nothing of that kind.'
  element('count').textContent =
    outside === 0 ? `: ${rows}` : `: ${rows - outside} of this system, ${outside} from outside`
  const known = new Set([...type.options].map(({ value }) => value))
  for (const { event } of held) {
    if (known.has(event.event_type)) continue
    known.add(event.event_type)
    element('others').append(new Option(event.event_type, event.event_type))
    element('others').hidden = false
  }
}

function say() {
  if (frozen === undefined) {
    live.textContent = 'Live'
    return
  }
  const before = new Set(frozen)
  const meanwhile = held.filter((envelope) => !before.has(envelope) && isWanted(envelope)).length
  const count = meanwhile >= mostHeld ? `${mostHeld} or more` : meanwhile
  live.textContent = `Paused: ${count} came meanwhile`
}

function complain(text) {
  // Only what is new is read out.
  if (trouble.textContent !== text) trouble.textContent = text
  trouble.hidden = text === ''
}

function take(envelopes) {
  held = [...envelopes, ...held].slice(0, mostHeld)
  if (frozen === undefined) drawNew(envelopes)
  say()
}

function flush() {
  scheduled = false
  const came = incoming.reverse()
  incoming = []
  take(came)
}

function watch() {
  const stream = new EventSource(`/admin/api/events/stream?after=${encodeURIComponent(position)}`)
  stream.addEventListener('message', ({ data, lastEventId }) => {
    position = lastEventId
    incoming.push(JSON.parse(data))
    if (!scheduled) setTimeout(flush, 50)
    scheduled = true
  })
  stream.addEventListener('sources', ({ data }) => {
    const { replicas, answering } = JSON.parse(data)
    const missing = replicas - answering
    const gone = answering === 0
    if (gone) complain('The events service does not answer. Trying again.')
    else if (missing === 0) complain('')
    else
      complain(
        `${missing} of ${replicas} replicas of the events service do not answer: what they hold is not here.`,
      )
  })
  stream.addEventListener('error', () => {
    // A browser comes again by itself when the connection ended, and never when it was refused.
    if (stream.readyState !== EventSource.CLOSED) return
    complain('The server does not answer. Trying again.')
    setTimeout(start, 1_000)
  })
}

/** Asks for all that is held, and goes on from there. */
async function start() {
  try {
    const response = await fetch(`/admin/api/events?limit=${mostHeld}`, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(retryMs),
    })
    // The session is over, and the login page brings us back; or who looks is no administrator any more.
    if (response.status === 401 || response.status === 403) location.reload()
    if (!response.ok) return tryAgain('The events service does not answer. Trying again.')
    const { items, cursor } = await response.json()
    const known = new Set(held.map(({ event }) => event.id))
    const fresh = items.filter(({ event }) => !known.has(event.id))
    position = cursor
    const first = held.length === 0 && frozen === undefined
    if (first) {
      held = fresh
      drawAll()
      say()
    } else take(fresh)
    complain('')
    watch()
  } catch {
    tryAgain('The server does not answer. Trying again.')
  }
}

function tryAgain(text) {
  complain(text)
  setTimeout(start, retryMs)
}

function refilter() {
  history.replaceState(null, '', addressOf())
  drawAll()
  say()
}

if (body) {
  pause.hidden = false
  element('apply').hidden = true
  pause.addEventListener('click', () => {
    frozen = frozen === undefined ? held : undefined
    pause.textContent = frozen === undefined ? 'Pause' : 'Resume'
    if (frozen === undefined) drawAll()
    say()
  })
  element('filter').addEventListener('submit', (event) => event.preventDefault())
  for (const select of [type, origin]) select.addEventListener('change', refilter)
  element('close').addEventListener('click', () => full.close())
  start()
}
