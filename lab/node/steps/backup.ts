import { run } from '@gatehouse/test/programs/programs'
import { chart, makeNamespace, namespace, pods, secretValue, services } from '../cluster.ts'
import { expectThat, type Step, seconds } from '../findings.ts'
import { askForToken, type Client, isActive, send, theClient } from '../gateway.ts'
import { images } from './install.ts'

const elsewhere = 'restored'

/** Runs Helm or kubectl in the other namespace. */
async function there(program: string, ...argv: string[]): Promise<void> {
  const { ok, stderr } = await run(program, ['--namespace', elsewhere, ...argv])
  expectThat(ok, `${program} ${argv[0]}: ${stderr}`)
}

const set = (values: string[]) => values.flatMap((value) => ['--set', value])

export const backup: Step = {
  name: 'backup',
  title: 'A dump is restored into an empty namespace, as docs/operate/backup.md says',
  async run(found) {
    const client = await theClient()
    const { token } = await askForToken(client)
    const began = Date.now()
    try {
      await restoreElsewhere()
      found('from the dump until all pods were ready', seconds(Date.now() - began))
      await expectKnown(client, token)
      found('the client from before', 'gets tokens')
      found('its token from before', 'active')
      expectThat(await isActive(client, token), 'the first system suffered')
    } finally {
      await run('helm', ['uninstall', 'gatehouse', '--wait', '--namespace', elsewhere])
      await run('kubectl', ['delete', 'namespace', elsewhere])
    }
  },
}

/** Installs the chart without a process, fills its database from a dump, and lets the processes start. */
async function restoreElsewhere(): Promise<void> {
  const kept: string[] = []
  for (const key of ['OAUTH2_JWT_SECRET', 'OAUTH2_SESSION_KEY', 'OAUTH2_FACTOR_KEY'])
    kept.push(`secrets.${key}=${await secretValue('gatehouse-secrets', key)}`)
  const values = [...images, ...kept, 'postgresql.enabled=true']
  const nothing = ['migrations.enabled=false', 'defaults.replicas=0']
  const unscaled = ['defaults.autoscaling.enabled=false', 'token.autoscaling.enabled=false']
  const install = set([...values, ...nothing, ...unscaled])
  await makeNamespace(elsewhere)
  await there('helm', 'install', 'gatehouse', ...chart, ...install)
  await there('kubectl', 'rollout', 'status', 'statefulset/gatehouse-postgresql', '--timeout=180s')

  const inDatabase = (within: string, command: string) =>
    `kubectl -n ${within} exec -i gatehouse-postgresql-0 -- ${command} --username=gatehouse --dbname=gatehouse`
  const dump = inDatabase(namespace, 'pg_dump --format=custom')
  const restore = inDatabase(elsewhere, 'pg_restore --exit-on-error --no-owner')
  const piped = await run('bash', ['-o', 'pipefail', '-c', `${dump} | ${restore}`])
  expectThat(piped.ok, `dump and restore: ${piped.stderr}`)
  // One pod of each, because the first system runs on the same node.
  await there('helm', 'upgrade', 'gatehouse', ...chart, ...set([...values, 'defaults.replicas=1']))
  for (const name of services)
    await there('kubectl', 'rollout', 'status', `deployment/gatehouse-${name}`, '--timeout=240s')
}

/** The restored system knows a client and its token. */
async function expectKnown({ id, secret }: Client, token: string): Promise<void> {
  const [gateway] = await pods('gateway', elsewhere)
  const way = { host: gateway?.status.podIP ?? '', port: 8080 }
  const auth = `${id}:${secret}`
  const introspection = await send('/oauth/introspect', { way, auth, body: `token=${token}` })
  expectThat(JSON.parse(introspection.text).active === true, `the token from before: ${introspection.text}`)
  const answer = await send('/oauth/token', { way, auth, body: 'grant_type=client_credentials' })
  expectThat(answer.status === 200, `the client from before: ${answer.status} ${answer.text}`)
}
