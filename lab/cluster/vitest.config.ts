import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// By themselves (npm run test:cluster): building an API server takes some ten minutes, once.
export default defineConfig({
  test: {
    globalSetup: join(import.meta.dirname, '../../test/support/run-directory.ts'),
    include: ['lab/cluster/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
})
