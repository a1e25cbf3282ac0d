import { beforeAll, describe } from 'vitest'
import { type Provider, startProvider } from '../e2e/openid/openid-world.ts'
import { buildSpringApp, type SpringApp, springBoot } from './tutorials/spring-boot.ts'

// The app of the tutorial for Spring Boot, which Maven builds.

const spring = await buildSpringApp()

let provider: Provider
beforeAll(async () => {
  provider = await startProvider()
})

describe.skipIf(!spring)('Spring Boot', () => springBoot(() => provider, spring as SpringApp))
