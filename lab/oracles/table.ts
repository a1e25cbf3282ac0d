/** A judge from outside of this repository, which takes too long or needs too much for every change. */
export type Oracle = {
  /** Its name for people. */
  title: string
  /** The property that it proves. */
  proves: string
  /** The project of vitest.config.ts and the test files, by a part of their paths; none for the whole project. */
  tests: { project: 'oracles' | 'oldest'; files: readonly string[] }
}

/** The oracles that `npm run test:oracles` runs, by the names that it takes. */
export const oracles = {
  schemathesis: {
    title: 'Schemathesis',
    proves: 'each answer to generated requests, valid and invalid, is as the OpenAPI document says',
    tests: { project: 'oracles', files: ['openapi-requests'] },
  },
  snippets: {
    title: 'The code that the console gives people to copy',
    proves:
      'apps for Node.js, Python, Go, Java (Spring Boot) and browsers that are copied from the console work, in each profile',
    tests: { project: 'oracles', files: ['console-snippets', 'spring-boot'] },
  },
  clients: {
    title: 'oapi-codegen and openapi-generator',
    proves: 'clients that are generated from the OpenAPI document compile, and manage a system',
    tests: { project: 'oracles', files: ['generated-go-clients'] },
  },
  groups: {
    title: 'oauth2-proxy',
    proves:
      'a program that lets people in by the claim `groups` does, and no longer does when they leave the group',
    tests: { project: 'oracles', files: ['oauth2-proxy'] },
  },
  upstream: {
    title: 'Keycloak and Django OAuth Toolkit, as providers of connections',
    proves:
      'people log in through real providers, with their groups as roles, fresh logins, new keys of the provider, wrong settings and logouts there',
    tests: { project: 'oracles', files: ['e2e/upstream'] },
  },
  release: {
    title: 'Helm, skopeo, a registry and QEMU',
    proves:
      'a release that is made and published can be pulled, verified and started, on amd64 and arm64, with the lists of its packages',
    tests: { project: 'oracles', files: ['deploy/release'] },
  },
  additions: {
    title: 'The compiler, on an addition of each kind',
    proves:
      'what count:touch counts is all that an addition takes: with its edits everything compiles, and it works',
    tests: { project: 'oracles', files: ['touch/touch'] },
  },
  plants: {
    title: 'The checker of the proof',
    proves: 'a short history under faults keeps every promise, and planted defects are found',
    tests: { project: 'oracles', files: ['lab/proof'] },
  },
  oldest: {
    title: 'PostgreSQL 15',
    proves: 'every statement, and whole systems, run on the oldest supported PostgreSQL',
    tests: { project: 'oldest', files: [] },
  },
} as const satisfies Record<string, Oracle>

/** The name of an oracle. */
export type OracleName = keyof typeof oracles

/** The last run of an oracle. */
export type OracleRun = {
  /** The day, in UTC: YYYY-MM-DD. */
  day: string
  /** The commit that it judged. */
  revision: string
  passed: number
  failed: number
  /** How long it took, in seconds. */
  seconds: number
}
