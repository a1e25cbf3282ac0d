import type { Socket } from 'node:net'

/** Under these names Node's parser has its callbacks (HTTPParser.kOnHeaders to kOnMessageComplete). */
const callbacks = [1, 2, 3, 4] as const

/**
 * Reads no more of a connection, which is about to close. Node has read up to 64 KiB already, and its parser would go on with that: a
 * copy of each piece of a body takes a hundred times the time of parsing it, and each pipelined request gets objects of its own, 1,400 in
 * 64 KiB. So the parser is not to tell of them.
 */
export function stopReading(socket: Socket & { parser?: Record<number, unknown> | null }): void {
  socket.pause()
  const { parser } = socket
  if (!parser || parser[callbacks[0]] === undefined) return
  const kept = callbacks.map((name) => [name, parser[name]] as const)
  for (const name of callbacks) parser[name] = undefined
  // Node keeps the parser for another connection when this one has closed.
  socket.once('close', () => {
    for (const [name, callback] of kept) parser[name] = callback
  })
}
