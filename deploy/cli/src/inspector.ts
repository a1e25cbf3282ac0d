import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailure } from './failure.ts'

/** A connection to the inspector of another process. */
export type Inspector = AsyncDisposable & {
  /**
   * Calls a method of the DevTools protocol.
   * @throws CommandFailure in a line, when the process refuses or ends
   */
  call(method: string, parameters?: object): Promise<Record<string, unknown>>
  /** Passes the parameters of each event of a kind on. */
  on(event: string, listener: (parameters: Record<string, unknown>) => void): void
}

type Message = {
  id?: number
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { message: string }
}

/** Where Node.js opens the inspector of a process that gets SIGUSR1. */
const port = 9229
/** How long the inspector may take to open and to close, in milliseconds. */
const patience = 5_000
/** How long a command may last beyond the time for which it takes a profile, in milliseconds. */
const slack = 30_000
/**
 * How long the process waits until it closes its inspector, in milliseconds. Node.js ends by a segmentation fault when it closes one
 * with a connection, so the connection ends first.
 */
const farewell = 1_000

/**
 * Opens the inspector of a running process of Node.js, which takes the same user, and closes it at the end. Meanwhile other programs of
 * the pod or machine can reach it, too. An inspector that others opened stays open.
 * @param pid the process
 * @param seconds how long it is used
 * @throws CommandFailure in a line: there is no such process, it is another user's, another process has the port, or another command
 *   uses the inspector
 */
export async function openInspector(pid: number, seconds: number): Promise<Inspector> {
  if (typeof WebSocket === 'undefined')
    throw new CommandFailure(`Node.js ${process.versions.node} has no WebSocket: use Node.js 22 or newer.`)
  const { before, url } = await addressOf(pid)
  const socket = new WebSocket(url)
  const opened = Promise.withResolvers<void>()
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>()
  const listeners = new Map<string, (parameters: Record<string, unknown>) => void>()
  socket.onopen = () => opened.resolve()
  socket.onclose = () => {
    const failure = new CommandFailure(`Process ${pid} closed its inspector: did it end?`)
    opened.reject(failure)
    for (const { reject } of waiting.values()) reject(failure)
  }
  socket.onmessage = ({ data }) => {
    const { id = 0, method = '', params = {}, result = {}, error }: Message = JSON.parse(String(data))
    listeners.get(method)?.(params)
    if (error === undefined) waiting.get(id)?.resolve(result)
    else waiting.get(id)?.reject(new CommandFailure(`Process ${pid} refuses: ${error.message}.`))
    waiting.delete(id)
  }
  await opened.promise
  let calls = 0
  const call = (method: string, params: object = {}) => {
    const id = ++calls
    const answer = Promise.withResolvers<Record<string, unknown>>()
    waiting.set(id, answer)
    socket.send(JSON.stringify({ id, method, params }))
    return answer.promise
  }
  const evaluate = async (expression: string) => {
    const { result } = await call('Runtime.evaluate', { expression })
    return (result as { value?: unknown }).value
  }
  const other = await evaluate('process.pid')
  if (other !== pid) {
    socket.close()
    throw new CommandFailure(`Port ${port} belongs to the inspector of process ${other}, not of ${pid}.`)
  }
  const use = (await evaluate(beginUse(before, seconds * 1000 + slack))) as 'ours' | 'others' | 'busy'
  if (use === 'busy') {
    socket.close()
    throw new CommandFailure(`Another command takes a profile of process ${pid}: try again when it is done.`)
  }
  return {
    call,
    on: (event, listener) => void listeners.set(event, listener),
    async [Symbol.asyncDispose]() {
      if (socket.readyState !== WebSocket.OPEN) return
      if (use === 'ours') await evaluate(endUse)
      socket.close()
      // The next command would find an inspector that is about to close.
      for (const deadline = Date.now() + patience; use === 'ours' && Date.now() < deadline; await sleep(20)) {
        if ((await openAddress()) !== url) return
      }
    },
  }
}

/** Where the process keeps until when, and by which timer it closes the inspector that a command opened. */
const state = `globalThis[Symbol.for('gatehouse.inspector')]`

/**
 * Makes the expression by which the process notes who uses its inspector. Its value is `busy` when another command does, and `others`
 * when the inspector was opened by somebody else, who goes on with it.
 * @param before whether the inspector was open before this command
 * @param duration the longest use, in milliseconds
 */
function beginUse(before: boolean, duration: number): string {
  return `(() => {
    const earlier = ${state}
    if (${before} && earlier === undefined) return 'others'
    if (earlier?.until > Date.now()) return 'busy'
    clearTimeout(earlier?.timer)
    ${state} = { until: Date.now() + ${duration} }
    return 'ours'
  })()`
}

/** The expression by which the process closes its inspector soon, when the connection that evaluates this has ended. */
const endUse = `(() => {
  const close = () => {
    delete ${state}
    process.getBuiltinModule('node:inspector').close()
  }
  ${state} = { until: 0, timer: setTimeout(close, ${farewell}) }
})()`

/** Has a process open its inspector. @returns its address, and whether one was open before */
async function addressOf(pid: number): Promise<{ url: string; before: boolean }> {
  const early = await openAddress()
  if (early !== undefined) return { url: early, before: true }
  try {
    process.kill(pid, 'SIGUSR1')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ESRCH') throw new CommandFailure(`There is no process ${pid}: name one with --pid.`)
    if (code === 'EPERM') throw new CommandFailure(`Process ${pid} is another user's.`)
    throw error
  }
  for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(50)) {
    const url = await openAddress()
    if (url !== undefined) return { url, before: false }
  }
  throw new CommandFailure(`Process ${pid} opened no inspector at port ${port}: is it Node.js?`)
}

async function openAddress(): Promise<string | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => undefined)
  if (answer === undefined) return undefined
  const [target] = (await answer.json()) as { webSocketDebuggerUrl: string }[]
  return target?.webSocketDebuggerUrl
}
