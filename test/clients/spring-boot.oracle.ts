import { beforeAll, describe } from 'vitest'
import { type Provider, startProvider } from '../e2e/openid/openid-world.ts'
import { buildSpringApp, type SpringApp, springBoot, springBootWithKey } from './tutorials/spring-boot.ts'

// The app of the tutorial for Spring Boot, which Maven builds.

const spring = await buildSpringApp()
const springWithKey = await buildSpringApp(true)

let provider: Provider
beforeAll(async () => {
  provider = await startProvider()
})

describe.skipIf(!spring)('Spring Boot', () => springBoot(() => provider, spring as SpringApp))
describe.skipIf(!springWithKey)('Spring Boot with a key', () =>
  springBootWithKey(() => provider, springWithKey as SpringApp),
)
