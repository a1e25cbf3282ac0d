import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import LongestFirst from './test/support/longest-first.ts'

/** Files whose tests change what the whole process shares, such as its tracer. */
const alone = ['services/*/test/**/*.alone.test.ts']

/** The judges outside of CI: `npm run test:oracles`. */
const outside: TestProjectInlineConfiguration[] = process.env.GATEHOUSE_TEST_ORACLES
  ? [
      {
        extends: true,
        test: { name: 'oracles', include: ['test/**/*.oracle.ts', 'lab/**/*.oracle.ts'], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'oldest',
          // The tests that ask PostgreSQL for something: the stores of every service by their services' tests, and whole systems.
          include: [
            'test/oldest/*.test.ts',
            'services/token/test/store/**/*.test.ts',
            'services/{client-registry,identity}/test/**/*.test.ts',
            'services/events/test/{outbox/outbox,store/webhook-deliveries}.test.ts',
            'services/data/test/{audit,in-transaction,pending-revocations}.test.ts',
            'prisma/test/{database,migrate,outage,drift}.test.ts',
            'test/e2e/{administration/admin-api,administration/mail-administration,grants/codes-redemption,logins/own-account}.test.ts',
          ],
          // These need long for what is the same on every version: races, models with thousands of steps, plans.
          exclude: [
            '**/{key-rotation-load,refresh-tokens-deadlocks,key-model,refresh-model,list-indexes}.test.ts',
          ],
          globalSetup: ['test/support/postgres/oldest-setup.ts'],
          setupFiles: ['test/support/postgres/on-oldest.ts'],
          isolate: false,
        },
      },
    ]
  : []

export default defineConfig({
  test: {
    globalSetup: ['test/support/run-directory.ts', 'test/support/postgres/postgres-setup.ts'],
    reporters: ['default', './test/support/count-reporter.ts'],
    // On a busy machine a test with a real deadline may miss it once: CI tries it again, and the reporter names it.
    retry: process.env.CI ? 1 : 0,
    // Patient everywhere, because a start that takes longer beside other load is no failure. A test of something that must be
    // quick measures that itself.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A poll ends as soon as what it waits for is there, so patience costs nothing.
    expect: { poll: { timeout: 30_000 } },
    // One more than the cores of the machines that run CI: files wait for deadlines and starts half of their time. More would
    // only make all of them slow, because the end-to-end files start five processes each.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Node itself runs the tests and the code under test, just as it runs the services.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        extends: true,
        test: {
          name: 'systems',
          include: [
            'deploy/local/test/**/*.test.ts',
            'test/{e2e,clients,deploy,scaling,touch,upgrade}/**/*.test.ts',
          ],
          // The next file of a worker goes on with its modules, and with the systems that files share.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        test: {
          name: 'services',
          include: [
            'services/*/test/**/*.test.ts',
            'prisma/test/**/*.test.ts',
            'deploy/cli/test/**/*.test.ts',
            'lab/{bench,proof}/test/**/*.test.ts',
            'lab/{fuzz,mutation}/*.test.ts',
          ],
          exclude: alone,
          setupFiles: ['test/support/leaves-no-tracer.ts'],
          // They share their worker's modules, which take longer to load than most of them to run.
          isolate: false,
        },
      },
      ...outside,
    ],
  },
})
