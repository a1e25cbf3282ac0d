import { tracer } from '@gatehouse/kit/telemetry/trace'
import { afterAll } from 'vitest'

// Runs with each test file of the project `services`, whose workers run one file after the other in one process.
afterAll(() => {
  if (tracer)
    throw new Error('This file leaves a tracer to the files after it. End its name with .alone.test.ts.')
})
