import { join } from 'node:path'
import { checkOutLastRelease } from '@gatehouse/test/release'
import { chart, helm, kubectl, pods, settled, until } from '../cluster.ts'
import { expectThat, type Step } from '../findings.ts'
import { theClient } from '../gateway.ts'
import { expectNoFailure, inWords, startLoad } from '../load.ts'
import { values } from './install.ts'

const set = (list: readonly string[]) => list.flatMap((value) => ['--set', value])

/** Smaller than those of the last release, of which two cores have no room for the pods of an upgrade. */
const requests = ['defaults', 'gateway', 'token', 'identity', 'postgresql'].map(
  (name) => `${name}.resources.requests.cpu=20m`,
)

/** Its own database, for the bundled one is replaced when its own description changes. */
async function startDatabase(): Promise<string> {
  const labels = { app: 'database' }
  const pod = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'database', labels },
    spec: {
      securityContext: { runAsUser: 70, runAsGroup: 70, fsGroup: 70 },
      containers: [
        {
          name: 'database',
          image: 'localhost/tools:1',
          args: ['-c', 'max_connections=300'],
          env: Object.entries({
            POSTGRES_USER: 'gatehouse',
            POSTGRES_DB: 'gatehouse',
            POSTGRES_PASSWORD: 'trial',
          }).map(([name, value]) => ({ name, value })),
          volumeMounts: [
            { name: 'data', mountPath: '/var/lib/postgresql' },
            { name: 'run', mountPath: '/var/run/postgresql' },
          ],
        },
      ],
      volumes: [
        { name: 'data', emptyDir: {} },
        { name: 'run', emptyDir: {} },
      ],
    },
  }
  await kubectl('run', 'database', '--image=localhost/tools:1', `--overrides=${JSON.stringify(pod)}`)
  await kubectl('expose', 'pod', 'database', '--port=5432')
  return 'postgresql://gatehouse:trial@database:5432/gatehouse'
}

export const release: Step = {
  name: 'release',
  title: 'An upgrade from the last release, and back, under load',
  async run(found) {
    const last = await checkOutLastRelease()
    expectThat(last !== undefined, 'the last release is not in this checkout')
    await helm('uninstall', 'gatehouse', '--wait')
    await until(
      'all pods are gone',
      async () => (await pods()).every(({ metadata }) => metadata.name === 'stranger'),
      120_000,
    )
    const url = await startDatabase()
    const own = [
      ...values.filter((value) => !value.startsWith('postgresql.enabled')),
      `secrets.OAUTH2_DATABASE_URL=${url}`,
      ...requests,
    ]
    const lastImage = `localhost/gatehouse:${last.version}`
    await helm(
      'install',
      'gatehouse',
      join(last.root, 'deploy/helm/gatehouse'),
      ...set([...own, 'image.repository=localhost/gatehouse']),
    )
    await settled()
    const images = async () => kubectl('get', 'pods', '-o', 'jsonpath={.items[*].spec.containers[0].image}')

    for (const [what, change] of [
      [`from ${last.version} to this revision`, () => helm('upgrade', 'gatehouse', ...chart, ...set(own))],
      ['helm rollback', () => helm('rollback', 'gatehouse')],
    ] as const) {
      const load = startLoad(await theClient())
      await change()
      await settled()
      const attempts = await load.stop()
      expectNoFailure(attempts, what)
      found(what, inWords(attempts))
    }
    expectThat((await images()).includes(lastImage), 'the last release does not run again')
    await helm('upgrade', 'gatehouse', ...chart, ...set(own))
    await settled()
    expectThat(!(await images()).includes(lastImage), 'the last release still runs')
  },
}
