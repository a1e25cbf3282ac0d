/** Modules that decide one thing, and the test files that must notice a change in them. */
export type Group = { mutate: readonly string[]; tests: readonly string[] }

const token = 'services/token'

/** The groups by name. A test file is near to its modules, or it runs without a system of five processes. */
export const groups: Readonly<Record<string, Group>> = {
  grants: {
    mutate: [
      `${token}/src/grants/*.ts`,
      `${token}/src/authorization/authorization-code.ts`,
      `${token}/src/tokens/refresh-token.ts`,
      `${token}/src/clients/client-change.ts`,
    ],
    tests: [
      `${token}/test/grants/{grants,client-credentials,code-grant,refresh-grant,granted-resources,grant-events}.test.ts`,
      `${token}/test/clients/client-change.test.ts`,
    ],
  },
  'expiring-secret': {
    mutate: ['services/kit/src/expiring-secret.ts'],
    tests: ['services/kit/test/expiring-secret.test.ts'],
  },
  'client-authentication': {
    mutate: [
      `${token}/src/clients/sender.ts`,
      `${token}/src/clients/methods/*.ts`,
      'services/gateway/src/oauth/presented.ts',
    ],
    tests: [
      `${token}/test/clients/client-authentication.test.ts`,
      `${token}/test/grants/grants.test.ts`,
      'services/gateway/test/oauth/presented.test.ts',
    ],
  },
  'redirect-uri': {
    mutate: [`${token}/src/clients/redirect-uri.ts`, 'services/client-registry/src/clients/redirect-uri.ts'],
    tests: [
      `${token}/test/clients/redirect-uri.test.ts`,
      'services/client-registry/test/clients/redirect-uri.test.ts',
    ],
  },
  // The verifier is checked by the grant of a code.
  pkce: {
    mutate: [`${token}/src/authorization/authorization-request.ts`],
    tests: [`${token}/test/authorization/authorization-request.test.ts`],
  },
  revocation: {
    mutate: [`${token}/src/tokens/introspection.ts`, `${token}/src/administration/announced-revocations.ts`],
    tests: [
      `${token}/test/tokens/{introspection,revocation}.test.ts`,
      `${token}/test/administration/announced-revocations.test.ts`,
    ],
  },
}
