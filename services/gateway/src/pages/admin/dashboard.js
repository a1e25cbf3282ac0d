// Keeps the dashboard's plots, figures and replicas up to date. uPlot is loaded before it.

const { uPlot } = globalThis
const everyMs = 10_000
const periodMs = 3_600_000
const minuteMs = 60_000

const style = getComputedStyle(document.documentElement)
const colour = (name) => style.getPropertyValue(name).trim()
const line = (number) => colour(`--plot-${number}`)
const problem = () => colour('--plot-problem')

const compact = new Intl.NumberFormat('en', { notation: 'compact' })
/** Whole numbers, since the plots count things. */
const steps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()
const clock = (seconds, length) => new Date(seconds * 1000).toISOString().slice(11, 11 + length)
const axis = () => ({
  font: '12px system-ui, sans-serif',
  stroke: colour('--quiet'),
  grid: { stroke: colour('--line'), width: 1 },
  ticks: { stroke: colour('--line'), width: 1 },
})

/** A line for each name in the minutes' counts, or one line when there are none. */
function linesOf(minutes, field, otherwise) {
  const names = [...new Set(minutes.flatMap((minute) => Object.keys(minute[field])))].sort()
  return (names.length > 0 ? names : [otherwise]).map((name, index) => ({
    name,
    colour: line((index % 5) + 1),
    of: (minute) => minute[field][name] ?? 0,
  }))
}

/** What each plot shows: a line for each name, and its value in a minute. */
const plots = {
  issued: (minutes) => linesOf(minutes, 'issued', 'tokens'),
  refused: (minutes) => linesOf(minutes, 'refused', 'refused'),
  logins: () => [
    { name: 'succeeded', colour: line(1), of: ({ logins }) => logins },
    { name: 'failed', colour: problem(), of: (minute) => minute.failed_logins },
  ],
  active_tokens: () => [{ name: 'active', colour: line(1), of: ({ active_tokens: count }) => count ?? null }],
}

const drawn = new Map()
let latest = []

/** All minutes of the period, including those in which nothing happened. */
function everyMinute(items) {
  const known = new Map(items.map((item) => [Date.parse(item.time), item]))
  const now = Math.floor(Date.now() / minuteMs) * minuteMs
  const nothing = { issued: {}, refused: {}, logins: 0, failed_logins: 0 }
  return Array.from({ length: periodMs / minuteMs + 1 }, (_, index) => {
    const time = now - periodMs + index * minuteMs
    return { ...(known.get(time) ?? nothing), time }
  })
}

function draw(minutes) {
  const times = minutes.map(({ time }) => time / 1000)
  for (const [name, linesIn] of Object.entries(plots)) {
    const place = document.querySelector(`[data-plot="${name}"]`)
    const lines = linesIn(minutes)
    const data = [times, ...lines.map(({ of }) => minutes.map(of))]
    const labels = lines.map((line) => line.name).join()
    const before = drawn.get(name)
    if (before?.labels === labels) {
      before.plot.setData(data)
      continue
    }
    before?.plot.destroy()
    const plot = new uPlot(optionsOf(lines, place), data, place)
    drawn.set(name, { plot, labels })
  }
}

function optionsOf(lines, place) {
  return {
    ...sizeOf(place),
    cursor: { drag: { x: false, y: false } },
    scales: {
      x: { range: () => [Date.now() / 1000 - periodMs / 1000, Date.now() / 1000] },
      y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [
      { ...axis(), space: 60, values: (_plot, times) => times.map((time) => clock(time, 5)) },
      { ...axis(), incrs: steps, values: (_plot, counts) => counts.map((count) => compact.format(count)) },
    ],
    series: [
      { label: 'UTC', value: lastUnless((seconds) => clock(seconds, 8)) },
      ...lines.map(({ name, colour: stroke }) => ({
        label: name,
        stroke,
        width: 2,
        value: lastUnless((count) => count.toLocaleString('en')),
      })),
    ],
  }
}

/** The value of a line in the legend: the one under the pointer, or else the newest. */
function lastUnless(show) {
  return ({ data }, value, index, pointed) => {
    const shown = pointed === null ? data[index].at(-1) : value
    return shown === null || shown === undefined ? '–' : show(shown)
  }
}

function sizeOf(place) {
  return { width: place.clientWidth, height: 200 }
}

function showFigures(minutes, { services }) {
  const sum = (of) => minutes.reduce((all, minute) => all + of(minute), 0).toLocaleString('en')
  const all = (counts) => Object.values(counts).reduce((total, count) => total + count, 0)
  const active = minutes.findLast((minute) => minute.active_tokens !== undefined)?.active_tokens
  const processes = services.flatMap(({ replicas }) => replicas)
  const figures = {
    issued: sum(({ issued }) => all(issued)),
    refused: sum(({ refused }) => all(refused)),
    logins: sum(({ logins }) => logins),
    failed_logins: sum((minute) => minute.failed_logins),
    active_tokens: active?.toLocaleString('en') ?? '–',
    processes: `${processes.filter(({ healthy }) => healthy).length} of ${processes.length}`,
  }
  for (const [name, text] of Object.entries(figures)) {
    document.querySelector(`[data-figure="${name}"]`).textContent = text
  }
}

function showReplicas({ services }) {
  const rows = services.flatMap(({ service, replicas }) =>
    replicas.map((replica) => {
      const row = document.createElement('tr')
      row.append(
        cell('Service', service),
        cell('Replica', replica.instance ?? replica.address ?? 'none found', 'id'),
        cell('Release', replica.version ?? '–'),
        cell('State', badge(replica.healthy ? 'healthy' : 'unavailable', replica.healthy)),
        cell(
          'Database',
          replica.database === undefined ? '–' : badge(replica.database, replica.database === 'connected'),
        ),
        cell('Answered in', replica.answered_in_ms === undefined ? '–' : `${replica.answered_in_ms} ms`),
      )
      return row
    }),
  )
  document.getElementById('replicas').replaceChildren(...rows)
}

function cell(label, content, className = '') {
  const element = document.createElement('td')
  element.className = className
  element.dataset.label = label
  element.append(content)
  return element
}

function badge(text, good) {
  const element = document.createElement('span')
  element.className = good ? 'badge' : 'badge off'
  element.textContent = text
  return element
}

async function ask(path) {
  const response = await fetch(`/admin/api/${path}`, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(everyMs),
  })
  // The session has ended, and the login page leads back here; or the user is no longer an administrator.
  if (response.status === 401 || response.status === 403) location.reload()
  if (!response.ok) throw new Error(`${response.status}`)
  return response.json()
}

const live = document.getElementById('live')
// Not the element with the time: a screen reader would read it out every ten seconds.
const trouble = document.getElementById('trouble')

async function update() {
  try {
    const since = new Date(Date.now() - periodMs).toISOString()
    const [{ items }, status] = await Promise.all([ask(`usage?since=${since}`), ask('status')])
    latest = everyMinute(items)
    draw(latest)
    showFigures(latest, status)
    showReplicas(status)
    live.textContent = `Live: the last hour, as of ${clock(Date.now() / 1000, 8)} UTC`
    trouble.hidden = true
  } catch {
    trouble.textContent = 'The server does not answer. Trying again.'
    trouble.hidden = false
  }
  setTimeout(update, everyMs)
}

addEventListener('resize', () => {
  for (const [name, { plot }] of drawn) plot.setSize(sizeOf(document.querySelector(`[data-plot="${name}"]`)))
})
// A plot keeps the colours of the scheme in which it was drawn, so it must be drawn again.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const { plot } of drawn.values()) plot.destroy()
  drawn.clear()
  draw(latest)
})

update()
