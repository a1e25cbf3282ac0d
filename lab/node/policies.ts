import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { askApiServer } from '../cluster/ask.ts'
import { adminTokenFile } from './config.ts'
import { apiPort } from './places.ts'
import { type Namespace, type Pod, type Policy, rulesFor } from './policy-rules.ts'

// Holds the pods to their NetworkPolicies by rules of nftables, as a network plugin does; none that does so can be built
// from packages alone. It sees what is routed between pods, behind the rules of Services: a packet's destination is the
// pod's own address by then. Packets from the node itself, such as probes, are let through, as every plugin does.

const token = readFileSync(adminTokenFile, 'utf8')

async function list<Item>(path: string): Promise<Item[]> {
  return ((await askApiServer(apiPort, token, path)) as { items: Item[] }).items
}

let last = ''
for (;;) {
  try {
    const rules = rulesFor(
      await list<Policy>('/apis/networking.k8s.io/v1/networkpolicies'),
      await list<Pod>('/api/v1/pods'),
      await list<Namespace>('/api/v1/namespaces'),
    )
    if (rules !== last) {
      execFileSync('nft', ['-f', '-'], { input: rules })
      console.log(`${new Date().toISOString()}\n${rules}`)
    }
    last = rules
  } catch (error) {
    console.error(String(error))
  }
  await sleep(500)
}
