import type { paths } from '@gatehouse/admin-api/generated/openapi'
import { queryOptions } from '@tanstack/react-query'
import createClient from 'openapi-fetch'
import { endSession } from './shell/session-state.ts'

/** The administrators' API, as docs/reference/openapi.json describes it. The browser sends its session along. */
export const api = createClient<paths>({ baseUrl: location.origin })

/** A request that the API refused, or that did not reach it. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string

  /**
   * @param status the HTTP status; 0 when there was no answer
   * @param code the error code of the answer
   * @param description the words of the server about it
   */
  constructor(status: number, code: string, description: string) {
    super(description)
    this.status = status
    this.code = code
  }
}

/** Whether a request was refused because the session of this browser has ended. */
export function isSessionOver(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401 && error.code === 'login_required'
}

/** Whether a change was refused because somebody else changed the same thing meanwhile. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'outdated_revision'
}

/**
 * Reads an answer of the API. Notes when the session of this browser is over.
 * @throws ApiError when the API refuses the request or does not answer
 */
export async function dataOf<Data>(
  answer: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await answer.catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new ApiError(0, 'unreachable', '')
  })
  if (response.ok) return data as Data
  // The token endpoint answers 401 to a client, which says nothing about the session.
  if (response.status === 401 && new URL(response.url).pathname.startsWith('/admin/api/')) endSession()
  const { error: code = '', error_description: description = '' } = Object(error) as Record<string, string>
  throw new ApiError(response.status, code, description)
}

type Get<Body> = { get: { responses: { 200: { content: { 'application/json': Body } } } } }
/** The paths of the API that answer a GET with JSON. */
export type GetPath = {
  [Path in keyof paths]: paths[Path] extends Get<unknown> ? Path : never
}[keyof paths]
/** The answer to a GET of a path. */
export type Answer<Path extends GetPath> = paths[Path] extends Get<infer Body> ? Body : never
/** Reads what a path of the API has. @throws ApiError when the API refuses the request or does not answer */
export function readOnce<Path extends GetPath>(
  path: Path,
  params: object = {},
  signal?: AbortSignal,
): Promise<Answer<Path>> {
  // biome-ignore lint/suspicious/noExplicitAny: TypeScript cannot follow a path that it does not know yet.
  return dataOf((api.GET as any)(path, { params, signal }))
}

/**
 * A query of the API, for useQuery. Its key begins with the path, so that a change can renew everything that was read from there.
 */
export function read<Path extends GetPath>(path: Path, params: { path?: object; query?: object } = {}) {
  return queryOptions({
    queryKey: [path, params] as const,
    queryFn: ({ signal }) => readOnce(path, params, signal),
  })
}
