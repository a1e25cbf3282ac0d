import type { ClientCredentials, Presented } from '@gatehouse/proto/token/v1'

/** The fields in which a token service of release 0.7.0 reads what a request presents. This one reads them where `presented` is absent. */
type Released = { credentials: ClientCredentials[]; bearerToken?: string | undefined }

/** A request as this release makes and reads it. */
export type WithoutReleased<Request> = Omit<Request, keyof Released>

/** The same fields of a request that only this release reads. */
export const unreadByThis: Pick<Released, 'credentials'> = { credentials: [] }

/**
 * A request that both releases can read: during an upgrade one of 0.7.0 may get it. To send and read the same credentials twice would cost an
 * introspection 3 µs, so `presented` is there only for more than those fields hold.
 */
export function withReleased<Request extends { presented?: Presented | undefined }>(
  request: Request,
): Request & Released {
  const { presented } = request
  return {
    ...request,
    presented: presented && holdsMore(presented) ? presented : undefined,
    credentials: presented?.credentials ?? [],
    bearerToken: presented?.token?.token,
  }
}

function holdsMore(presented: Presented): boolean {
  for (const name in presented)
    if (name !== 'credentials' && name !== 'token' && presented[name as keyof Presented] !== undefined)
      return true
  return presented.token !== undefined && presented.token.scheme !== 'bearer'
}
