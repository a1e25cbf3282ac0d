/** Modules that decide one thing, and the test files that must notice a change in them. */
export type Group = { mutate: readonly string[]; tests: readonly string[] }

const token = 'services/token'

/** The groups by name. A test file is near to its modules, or it runs without a system of five processes. */
export const groups: Readonly<Record<string, Group>> = {
  grants: {
    mutate: [
      `${token}/src/grants/*.ts`,
      `${token}/src/authorization-code.ts`,
      `${token}/src/refresh-token.ts`,
      `${token}/src/client-change.ts`,
    ],
    tests: [
      `${token}/test/{grants,client-credentials,code-grant,refresh-grant,granted-resources,grant-events,client-change}.test.ts`,
    ],
  },
  'client-authentication': {
    mutate: [`${token}/src/client-authentication.ts`, 'services/gateway/src/oauth/presented-credentials.ts'],
    tests: [
      `${token}/test/{client-authentication,grants}.test.ts`,
      'services/gateway/test/oauth/presented-credentials.test.ts',
    ],
  },
  'redirect-uri': {
    mutate: [`${token}/src/redirect-uri.ts`, 'services/client-registry/src/clients/redirect-uri.ts'],
    tests: [
      `${token}/test/redirect-uri.test.ts`,
      'services/client-registry/test/clients/redirect-uri.test.ts',
    ],
  },
  // The verifier is checked by the grant of a code.
  pkce: {
    mutate: [`${token}/src/authorization-request.ts`],
    tests: [`${token}/test/authorization-request.test.ts`],
  },
  revocation: {
    mutate: [`${token}/src/introspection.ts`, `${token}/src/announced-revocations.ts`],
    tests: [`${token}/test/{introspection,revocation,announced-revocations}.test.ts`],
  },
}
