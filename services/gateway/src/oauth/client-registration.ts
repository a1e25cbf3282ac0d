import { notStored } from '@gatehouse/http/app'
import { documentOf } from '@gatehouse/http/client-document'
import { onlyWhere } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import type { Client } from '@gatehouse/proto/clientregistry/v1'
import { grantsWhere } from '@gatehouse/proto/grants'
import { presentIn } from '@gatehouse/proto/profiles'
import { Type } from '@gatehouse/proto/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { explainError } from '../http/explain-error.ts'
import type { AuthenticationDeps } from './authentication-metadata.ts'

/** The rules of registration: who may register, and how. */
export type RegistrationPolicy = {
  mode: 'open' | 'token' | 'closed'
  token: string | undefined
  /** Whether RFC 7591 and RFC 7592 hold in full, which is not so in the profile `interface`. */
  full?: boolean
}

/** When a client registered. */
export const issuedFields = {
  created_at: Type.String({ format: 'date-time' }),
  client_id_issued_at: Type.Integer({ description: 'Seconds since the Unix epoch.' }),
}

const managed = presentIn('substitutesClientMetadata')

/** The fields with which a client manages its registration, and what only full answers have. */
export const managementFields = {
  response_types: Type.Optional(
    Type.Array(Type.String(), onlyWhere(managed, '`["code"]` for a client that may use the code flow.')),
  ),
  registration_client_uri: Type.Optional(
    Type.String({
      format: 'uri',
      ...onlyWhere(managed, 'Where the client manages its registration (RFC 7592).'),
    }),
  ),
  registration_access_token: Type.Optional(
    Type.String(onlyWhere(managed, 'The bearer token for that. Only its digest is stored.')),
  ),
}

/**
 * A client's registration as JSON.
 * @param registrationAccessToken undefined where the client cannot manage itself
 * @throws Error when the client registry gave no client
 */
export function registrationBody(
  client: Client | undefined,
  registrationAccessToken: string | undefined,
  issuer: string,
) {
  if (client?.createdAt === undefined) throw new Error('the client registry gave no client')
  return {
    ...documentOf(client),
    ...(registrationAccessToken !== undefined && {
      response_types: responseTypes(client),
      registration_client_uri: `${issuer}/clients/register/${encodeURIComponent(client.clientId)}`,
      registration_access_token: registrationAccessToken,
    }),
    created_at: client.createdAt.toISOString(),
    client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
  }
}

function responseTypes({ grantTypes }: Client): string[] {
  const redirecting: readonly string[] = grantsWhere(({ redirects }) => redirects)
  return grantTypes.some((grant) => redirecting.includes(grant)) ? ['code'] : []
}

/**
 * Takes the empty fields out of a client's metadata, before it is checked: null (RFC 7592 section 2.2), an empty text and an empty list
 * count as absent.
 */
export async function dropEmptyFields(request: FastifyRequest): Promise<void> {
  const { body } = request
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return
  const isEmpty = (value: unknown) =>
    value === null || value === '' || (Array.isArray(value) && value.length === 0)
  request.body = Object.fromEntries(Object.entries(body).filter(([, value]) => !isEmpty(value)))
}

/** The options of a route that takes client metadata where RFC 7591 holds in full. */
export const metadataRoute = {
  attachValidation: true,
  /** @throws Refusal with a code of RFC 7591 section 3.2.2 for a field of the wrong kind */
  async preHandler({ validationError }: FastifyRequest): Promise<void> {
    if (validationError === undefined) return
    const { description } = explainError(validationError as Parameters<typeof explainError>[0])
    const ofRedirects = description.startsWith('redirect_uris')
    throw new Refusal(ofRedirects ? 'invalid_redirect_uri' : 'invalid_client_metadata', description)
  },
}

/** Marks an answer as one that no cache may store. */
export async function neverStored(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers(notStored)
}

/** The needs of the routes of registration, besides the calls of the registry. */
export type RegistrationRouteDeps = {
  registration: RegistrationPolicy
  /** Whether clients may register fields of OpenID Connect. */
  openid: boolean
  issuer: string
} & AuthenticationDeps
