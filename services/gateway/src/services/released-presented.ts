import type { ClientCredentials, Presented } from '@gatehouse/proto/token/v1'

/** The fields in which a token service of release 0.7.0 reads what a request presents. */
type Released = { credentials: ClientCredentials[]; bearerToken?: string | undefined }

/** A request as this release makes and reads it. */
export type WithoutReleased<Request> = Omit<Request, keyof Released>

/** The same fields of a request that only this release reads. */
export const unreadByThis: Pick<Released, 'credentials'> = { credentials: [] }

/** A request that both releases can read: during an upgrade one of 0.7.0 may get it. */
export function withReleased<Request extends { presented?: Presented | undefined }>(
  request: Request,
): Request & Released {
  const { credentials = [], token } = request.presented ?? {}
  return { ...request, credentials, bearerToken: token?.token }
}
