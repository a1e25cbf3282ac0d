/** Gathers pieces in one Buffer, which grows with them. */
export type Gathering = {
  /** How many bytes were gathered. */
  length(): number
  add(piece: Buffer): void
  /** Gives what was gathered, and begins anew; undefined when nothing was gathered. */
  take(): Buffer | undefined
}

/** Creates an empty gathering. */
export function createGathering(): Gathering {
  let room: Buffer | undefined
  let length = 0
  return {
    length: () => length,
    add(piece) {
      // Most bodies are one piece, which needs no copy.
      if (room === undefined) {
        room = piece
        length = piece.length
        return
      }
      const least = length + piece.length
      if (room.length < least) {
        const larger = Buffer.allocUnsafe(Math.max(least, 2 * room.length))
        room.copy(larger, 0, 0, length)
        room = larger
      }
      piece.copy(room, length)
      length = least
    },
    take() {
      const gathered = length > 0 ? room?.subarray(0, length) : undefined
      room = undefined
      length = 0
      return gathered
    },
  }
}
