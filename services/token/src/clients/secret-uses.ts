/** A secret with which a client has authenticated. */
export type UsedSecret = {
  clientId: string
  /** SHA-256. */
  digest: Uint8Array
}

/** Remembers which secrets are in use, for the client registry: each one is reported once a minute at most. */
export type SecretUses = {
  /** Notes that a client has authenticated. It costs no more than an entry in a map. */
  note(clientId: string, digest: Uint8Array): void
  /** The uses that are to be reported, which then count as reported. */
  take(): UsedSecret[]
  /** Takes back uses whose report failed. */
  giveBack(uses: readonly UsedSecret[]): void
}

/** In milliseconds. */
const reportedEvery = 60_000
/** The most secrets in one report, and the most that wait. A secret beyond that is noted with a later use. */
const mostWaiting = 1_000
/** The most secrets whose report is remembered. Beyond that, some are reported more often. */
const mostReported = 100_000

/** Creates the memory of the secrets in use. @param now milliseconds since the Unix epoch */
export function createSecretUses(now: () => number): SecretUses {
  const waiting = new Map<string, UsedSecret>()
  /** When each secret was reported, the earliest first. */
  const reported = new Map<string, number>()
  const keyOf = (clientId: string, digest: Uint8Array) =>
    `${Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('latin1')}${clientId}`

  return {
    note(clientId, digest) {
      const key = keyOf(clientId, digest)
      if (now() - (reported.get(key) ?? Number.NEGATIVE_INFINITY) < reportedEvery) return
      if (waiting.size < mostWaiting) waiting.set(key, { clientId, digest })
    },

    take() {
      const time = now()
      for (const [key, at] of reported) {
        if (time - at < reportedEvery && reported.size <= mostReported) break
        reported.delete(key)
      }
      const uses = [...waiting.values()]
      for (const key of waiting.keys()) reported.set(key, time)
      waiting.clear()
      return uses
    },

    giveBack(uses) {
      for (const { clientId, digest } of uses) {
        const key = keyOf(clientId, digest)
        reported.delete(key)
        if (waiting.size < mostWaiting) waiting.set(key, { clientId, digest })
      }
    },
  }
}
