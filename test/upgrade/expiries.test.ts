import { expiryOf } from '@gatehouse/kit/expiring-secret'
import { rootDirectory } from '@gatehouse/local/places'
import { type ServiceName, serviceNames } from '@gatehouse/local/services'
import { authorize, type CookieJar, logIn } from '@gatehouse/test/browser/browser-login'
import { type Cluster, clusterAdmin, hasClusters, startCluster } from '@gatehouse/test/cluster'
import { credentialsOf, untilReady } from '@gatehouse/test/oauth'
import { checkOutLastRelease } from '@gatehouse/test/release'
import type { RegisteredClient } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  authorizationRequest,
  pkce,
  query,
  registerApp,
  type TokenAnswer,
  tokensOf,
} from '../e2e/logins/login-people.ts'

const release = hasClusters ? await checkOutLastRelease() : undefined
const root = release?.root ?? ''

describe.skipIf(release === undefined)(
  'what one release gives, the other takes',
  { timeout: 180_000 },
  () => {
    let cluster: Cluster
    let app: RegisteredClient
    beforeAll(async () => {
      cluster = await startCluster({ variables: { OAUTH2_REFRESH_TOKEN_ENABLED: 'true' }, root })
      await untilReady(cluster)
      app = await registerApp(cluster)
    }, 120_000)
    afterAll(() => cluster?.stop())

    async function replace(names: readonly ServiceName[], other: string) {
      for (const name of names) {
        const [replica] = cluster.replicasOf(name)
        await cluster.add(name, { root: other })
        if (replica) await cluster.remove(replica, { stoppedAfter: 4_000 })
      }
      await untilReady(cluster)
    }

    async function codeIn(jar: CookieJar) {
      const { verifier, challenge } = pkce()
      const answer = await authorize(cluster, jar, authorizationRequest(app, challenge))
      return { code: answer.searchParams.get('code') ?? '', code_verifier: verifier }
    }
    const send = async (form: Record<string, string>): Promise<TokenAnswer> =>
      tokensOf(await cluster.form('/oauth/token', { ...credentialsOf(app), ...form }))
    const redeem = (code: Record<string, string>) => send({ grant_type: 'authorization_code', ...code })
    const refresh = ({ refresh_token = '' }: TokenAnswer) =>
      send({ grant_type: 'refresh_token', refresh_token })

    /** A session, a code that nobody redeemed, a refresh token that nobody used, and one that was used a moment ago. */
    async function begin() {
      const jar = await logIn(cluster, clusterAdmin.username, clusterAdmin.password)
      const unused = await redeem(await codeIn(jar))
      return { jar, code: await codeIn(jar), unused, used: await redeem(await codeIn(jar)) }
    }
    async function expectTaken({ jar, code, unused }: Awaited<ReturnType<typeof begin>>) {
      expect((await codeIn(jar)).code).toMatch(/^[\w-]{43}$/)
      const redeemed = await redeem(code)
      for (const tokens of [redeemed, unused]) {
        const next = await refresh(tokens)
        expect((await refresh(tokens)).refresh_token).toBe(next.refresh_token)
        expect((await refresh(next)).refresh_token).toMatch(/^[\w-]{43}$/)
      }
    }

    test('this release what the last one gave, with the successors that the last one gave', async () => {
      const given = await begin()
      const successor = await refresh(given.used)
      await replace(['token'], rootDirectory)
      // Replacing the process took longer than the ten seconds in which a token may be used again.
      await query(cluster, 'update token.refresh_tokens set used_at = now() where used_at is not null')
      expect((await refresh(given.used)).refresh_token).toBe(successor.refresh_token)
      await replace(
        serviceNames.filter((name) => name !== 'token'),
        rootDirectory,
      )
      await expectTaken(given)
    })

    test('the last one what this release gave, as after `helm rollback`', async () => {
      const given = await begin()
      for (const value of [given.code.code, given.unused.refresh_token ?? '', sessionOf(given.jar)])
        expect(expiryOf(value)).toBeGreaterThan(Date.now() / 1000)
      await replace(serviceNames, root)
      await expectTaken(given)
    })

    const sessionOf = (jar: CookieJar) =>
      decodeURIComponent(jar.get('gatehouse_session') ?? '').split('.')[0] ?? ''
  },
)
