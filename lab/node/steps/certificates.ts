import { connect } from 'node:tls'
import { type Pod, pods, services, settled, until, upgrade } from '../cluster.ts'
import { expectThat, type Step, seconds } from '../findings.ts'
import { theClient } from '../gateway.ts'
import { expectNoFailure, inWords, startLoad } from '../load.ts'

/** The serial number of the certificate with which a pod answers. It shows it before it wants to see the caller's. */
function serialOf({ status }: Pod): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      host: status.podIP,
      port: 50051,
      rejectUnauthorized: false,
      ALPNProtocols: ['h2'],
      timeout: 5_000,
    }
    const socket = connect(options, () => {
      resolve(socket.getPeerCertificate().serialNumber)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

const present = async () => (await Promise.all(callees.map((name) => pods(name)))).flat()
const callees = services.filter((name) => name !== 'gateway')
const identities = (all: Pod[]) =>
  all.map(({ metadata, status }) => `${metadata.uid} ${status.containerStatuses?.[0]?.restartCount}`).sort()

export const certificates: Step = {
  name: 'certificates',
  title: 'Certificates are renewed without a restart, under load',
  async run(found) {
    const load = startLoad(await theClient())
    const before = await present()
    const serials = new Set(await Promise.all(before.map(serialOf)))
    expectThat(serials.size === callees.length, `there are ${serials.size} certificates`)
    await upgrade('tls.generated.renewAfterDays=0')
    const took = await until(
      'every pod answers with another certificate',
      async () =>
        (await Promise.all((await present()).map(serialOf))).every((serial) => !serials.has(serial)),
      240_000,
    )
    found('from helm upgrade until every pod answered with its new certificate', seconds(took))
    const attempts = await load.stop()
    expectNoFailure(attempts, 'while the certificates changed')
    found('tokens meanwhile', inWords(attempts))
    const after = await present()
    expectThat(identities(after).join() === identities(before).join(), 'pods were replaced or restarted')
    found('pods that were replaced or restarted', 'none')
    await upgrade('tls.generated.renewAfterDays=30')
    await settled()
  },
}
