import { defineConfig } from 'vitest/config'

// By themselves (npm run test:cluster): building an API server takes some ten minutes, once.
export default defineConfig({
  test: {
    include: ['test/cluster/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
})
