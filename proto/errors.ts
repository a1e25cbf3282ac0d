/** An error code's statuses, and its description when there is none more specific. */
type ErrorEntry = {
  readonly httpStatus: number
  /** The name of a gRPC status code. */
  readonly grpcStatus: string
  readonly description: string
}

/**
 * Every error code that a caller may get, over HTTP and between the processes: those of RFC 6749 sections 4.1.2.1 and 5.2,
 * RFC 6750 section 3.1, RFC 7591 section 3.2.2 and RFC 8707 section 2, and our own.
 */
export const errorCatalogue = {
  invalid_request: {
    httpStatus: 400,
    grpcStatus: 'INVALID_ARGUMENT',
    description: 'The request is malformed or lacks a parameter.',
  },
  invalid_client: {
    httpStatus: 401,
    grpcStatus: 'UNAUTHENTICATED',
    description: 'The client is unknown or its credentials are wrong.',
  },
  invalid_grant: {
    httpStatus: 400,
    grpcStatus: 'INVALID_ARGUMENT',
    description:
      'The authorization code or token is invalid, expired, revoked or was issued to another client.',
  },
  unauthorized_client: {
    httpStatus: 400,
    grpcStatus: 'PERMISSION_DENIED',
    description: 'The client may not do this.',
  },
  unsupported_grant_type: {
    httpStatus: 400,
    grpcStatus: 'INVALID_ARGUMENT',
    description: 'This grant_type is not supported by this server.',
  },
  invalid_scope: {
    httpStatus: 400,
    grpcStatus: 'INVALID_ARGUMENT',
    description: 'The requested scope is unknown, malformed or more than the client may have.',
  },
  invalid_redirect_uri: {
    httpStatus: 400,
    grpcStatus: 'INVALID_ARGUMENT',
    description: 'A redirect URI is missing or invalid.',
  },
  invalid_client_metadata: {
    httpStatus: 400,
    grpcStatus: 'INVALID_ARGUMENT',
    description: 'A field of the client metadata is invalid.',
  },
  invalid_target: {
    httpStatus: 400,
    grpcStatus: 'INVALID_ARGUMENT',
    description: 'The requested resource is unknown, malformed or more than the client may have.',
  },
  invalid_token: {
    httpStatus: 401,
    grpcStatus: 'UNAUTHENTICATED',
    description: 'The access token is missing, expired, revoked or malformed.',
  },
  insufficient_scope: {
    httpStatus: 403,
    grpcStatus: 'PERMISSION_DENIED',
    description: 'The access token lacks the scope that this needs.',
  },
  login_required: {
    httpStatus: 401,
    grpcStatus: 'UNAUTHENTICATED',
    description: 'Log in first.',
  },
  consent_required: {
    httpStatus: 400,
    grpcStatus: 'FAILED_PRECONDITION',
    description: 'The user has not allowed this yet.',
  },
  interaction_required: {
    httpStatus: 400,
    grpcStatus: 'FAILED_PRECONDITION',
    description: 'The user must do something on a page of this server first.',
  },
  unsupported_response_type: {
    httpStatus: 400,
    grpcStatus: 'INVALID_ARGUMENT',
    description: 'The response_type must be code.',
  },
  request_not_supported: {
    httpStatus: 400,
    grpcStatus: 'INVALID_ARGUMENT',
    description: 'This server does not take request objects (the parameter request).',
  },
  request_uri_not_supported: {
    httpStatus: 400,
    grpcStatus: 'INVALID_ARGUMENT',
    description: 'This server does not take request objects (the parameter request_uri).',
  },
  invalid_request_uri: {
    httpStatus: 400,
    grpcStatus: 'INVALID_ARGUMENT',
    description:
      'The request of the app is unknown, too old or already answered. Go back to the app and start again.',
  },
  unmet_authentication_requirements: {
    httpStatus: 400,
    grpcStatus: 'INVALID_ARGUMENT',
    description: 'This server cannot authenticate the user as the app demands (the claim acr).',
  },
  registration_not_supported: {
    httpStatus: 400,
    grpcStatus: 'INVALID_ARGUMENT',
    description: 'This server does not take the parameter registration.',
  },
  access_denied: {
    httpStatus: 403,
    grpcStatus: 'PERMISSION_DENIED',
    description: 'You may not do this.',
  },
  not_found: {
    httpStatus: 404,
    grpcStatus: 'NOT_FOUND',
    description: 'There is nothing at this address.',
  },
  method_not_allowed: {
    httpStatus: 405,
    grpcStatus: 'UNIMPLEMENTED',
    description: 'This address does not take this method.',
  },
  outdated_revision: {
    httpStatus: 409,
    grpcStatus: 'FAILED_PRECONDITION',
    description: 'It was changed meanwhile. Read it again, and decide anew.',
  },
  secrets_differ: {
    httpStatus: 409,
    grpcStatus: 'FAILED_PRECONDITION',
    description: 'Not all processes have the same secrets yet.',
  },
  rate_limit_exceeded: {
    httpStatus: 429,
    grpcStatus: 'RESOURCE_EXHAUSTED',
    description: 'Too many requests. Please try again later.',
  },
  server_error: {
    httpStatus: 500,
    grpcStatus: 'INTERNAL',
    description: 'Something went wrong on our side.',
  },
  temporarily_unavailable: {
    httpStatus: 503,
    grpcStatus: 'UNAVAILABLE',
    description: 'The server cannot answer this right now. Please try again in a moment.',
  },
  eventing_disabled: {
    httpStatus: 503,
    grpcStatus: 'FAILED_PRECONDITION',
    description: 'Eventing is switched off.',
  },
} as const satisfies Record<string, ErrorEntry>

/** One of the codes of the catalogue. */
export type ErrorCode = keyof typeof errorCatalogue
