import { defineConfig } from 'vitest/config'

// The tests that main.ts lets Stryker run. The database is already there: it outlives the hundreds of runs.
export default defineConfig({
  test: {
    include: process.env.GATEHOUSE_MUTATION_TESTS?.split(' ') ?? [],
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
})
