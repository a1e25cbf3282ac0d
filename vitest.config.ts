import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'services/*/test/**/*.test.ts',
      'prisma/test/**/*.test.ts',
      'deploy/local/test/**/*.test.ts',
      'test/{e2e,clients,browser,deploy,scaling,upgrade}/**/*.test.ts',
      'test/{bench,faults}/test/**/*.test.ts',
    ],
    globalSetup: 'test/support/postgres-setup.ts',
    reporters: ['default', './test/support/count-reporter.ts'],
    // On a busy machine a test with a real deadline may miss it once: CI tries it again, and the reporter names it.
    retry: process.env.CI ? 1 : 0,
    // And a start that takes longer there is no failure; what must be quick is measured by the tests themselves.
    testTimeout: process.env.CI ? 60_000 : 20_000,
    hookTimeout: process.env.CI ? 120_000 : 60_000,
    // The end-to-end files start five processes each: more at once than cores only makes all of them slow.
    maxWorkers: 2,
    // Node itself runs the tests and the code under test, just as it runs the services.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
})
