import type { Bucket } from '@gatehouse/proto/limits'
import { LRUCache } from 'lru-cache'

/** A client or a network whose requests were refused because nothing was left of a limit. */
export type OverLimit = {
  bucket: Bucket
  /** The client, if valid credentials of it were sent; else empty. */
  clientId: string
  /** The address of the last refused request, or for IPv6 its network. */
  network: string
  /** How many requests were refused in the window. */
  refused: number
  /** When the window ends, in milliseconds since the Unix epoch. */
  until: number
}

/** The caller whose request was refused. */
type Refused = Pick<OverLimit, 'bucket' | 'clientId' | 'network'>

/** The exchange of the callers over a limit between all gateways. */
export type SharedOverLimits = {
  /** Replaces the callers that this gateway has told the others. */
  put(own: readonly OverLimit[]): Promise<void>
  /** Reads the callers that the other gateways have told. */
  ofOthers(): Promise<OverLimit[]>
}

/** Those who are over a limit now. */
export type OverLimits = {
  /** Notes a refusal. @param reset seconds until the window ends */
  note(refused: Refused, reset: number): void
  /** Lists them, those who are refused most first. @returns also whether other gateways were heard */
  list(): Promise<{ over: OverLimit[]; shared: boolean }>
  /** Tells the other gateways what has changed. Throws when that is not possible. */
  share(): Promise<void>
}

/** The needs of createOverLimits. */
export type OverLimitsDeps = {
  /** Absent when each gateway counts by itself. */
  shared: SharedOverLimits | undefined
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** How many a gateway remembers: anybody can get any number of addresses refused. */
const mostRemembered = 1_000

/** Remembers who is over a limit until the window ends. */
export function createOverLimits({ shared, now }: OverLimitsDeps): OverLimits {
  const remembered = new LRUCache<string, OverLimit>({ max: mostRemembered })
  let announced = false
  const own = () => [...remembered.values()].filter(({ until }) => until > now())

  return {
    note({ bucket, clientId, network }, reset) {
      const key = keyOf({ bucket, clientId, network })
      const known = remembered.get(key)
      const begun = known !== undefined && known.until > now()
      const { refused, until } = begun ? known : { refused: 0, until: now() + reset * 1_000 }
      remembered.set(key, { bucket, clientId, network, refused: refused + 1, until })
    },

    async list() {
      const others = await shared?.ofOthers().catch(() => undefined)
      const all = new Map<string, OverLimit>()
      for (const one of [...own(), ...(others ?? []).filter(({ until }) => until > now())]) {
        const known = all.get(keyOf(one))
        const refused = one.refused + (known?.refused ?? 0)
        all.set(keyOf(one), { ...one, refused, until: Math.max(one.until, known?.until ?? 0) })
      }
      const over = [...all.values()].sort((one, other) => other.refused - one.refused)
      return { over, shared: others !== undefined }
    },

    async share() {
      const all = own()
      if (all.length === 0 && !announced) return
      await shared?.put(all)
      announced = all.length > 0
    },
  }
}

/** A client is the same at all of its addresses. */
function keyOf({ bucket, clientId, network }: Refused): string {
  return `${bucket} ${clientId || network}`
}
