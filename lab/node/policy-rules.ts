type Labels = Record<string, string>
type Metadata = { name: string; namespace: string; labels?: Labels }
type Selector = {
  matchLabels?: Labels
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}
type Port = { protocol?: string; port?: number | string; endPort?: number }
type Peer = {
  podSelector?: Selector
  namespaceSelector?: Selector
  ipBlock?: { cidr: string; except?: string[] }
}
type Rule = { ports?: Port[]; from?: Peer[]; to?: Peer[] }
type Side = 'Ingress' | 'Egress'
type Container = { ports?: { name?: string; containerPort: number; protocol?: string }[] }

/** The parts of Kubernetes' objects that policies are about. */
export type Namespace = { metadata: Metadata }
export type Pod = {
  metadata: Metadata
  spec: { hostNetwork?: boolean; containers: Container[] }
  status: { podIP?: string; phase: string }
}
export type Policy = {
  metadata: Metadata
  spec: { podSelector?: Selector; policyTypes?: Side[]; ingress?: Rule[]; egress?: Rule[] }
}

/** Whether the labels are those that a selector asks for. */
function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels = {}): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator === 'Exists') return key in labels
      if (operator === 'DoesNotExist') return !(key in labels)
      return values.includes(labels[key] ?? '') === (operator === 'In')
    })
  )
}

const set = (values: string[]) => `{ ${values.join(', ')} }`

/** The expression that matches one port of a rule, of a pod that may have a name for it; undefined where it has none. */
function portOf({ protocol = 'TCP', port, endPort }: Port, pod: Pod): string | undefined {
  const name = protocol.toLowerCase()
  if (port === undefined) return `meta l4proto ${name}`
  if (typeof port === 'number') return `${name} dport ${endPort ? `${port}-${endPort}` : port}`
  const found = pod.spec.containers
    .flatMap(({ ports = [] }) => ports)
    .find((one) => one.name === port && (one.protocol ?? 'TCP') === protocol)
  return found && `${name} dport ${found.containerPort}`
}

/**
 * Makes a whole ruleset of nftables out of what the cluster has, in place of the one before.
 * @param policies all policies of the cluster
 * @param allPods all of its pods
 * @param namespaces all of its namespaces
 */
export function rulesFor(policies: Policy[], allPods: Pod[], namespaces: Namespace[]): string {
  const labelsOf = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels]))
  const pods = allPods.filter(
    ({ spec, status }) =>
      status.podIP && !spec.hostNetwork && !['Succeeded', 'Failed'].includes(status.phase),
  )
  const addresses = (found: Pod[]) => found.map(({ status }) => status.podIP as string)
  /** The pods that a peer of a policy in a namespace means. */
  const podsOf = ({ podSelector = {}, namespaceSelector }: Peer, home: string) =>
    pods.filter(
      ({ metadata }) =>
        selects(podSelector, metadata.labels) &&
        (namespaceSelector
          ? selects(namespaceSelector, labelsOf.get(metadata.namespace))
          : metadata.namespace === home),
    )

  /** The expression that matches a peer, or undefined if that is nobody; without a peer everybody. */
  function peerOf(peer: Peer | undefined, side: Side, home: string): string | undefined {
    const other = side === 'Ingress' ? 'saddr' : 'daddr'
    if (peer === undefined) return ''
    if (peer.ipBlock) {
      const { cidr, except } = peer.ipBlock
      return `ip ${other} ${cidr}${except ? ` ip ${other} != ${set(except)}` : ''}`
    }
    const there = podsOf(peer, home)
    return there.length > 0 ? `ip ${other} ${set(addresses(there))}` : undefined
  }

  /** The traffic that a rule lets through to or from a pod. A name of a port is that of the pod that is sent to. */
  function allowed({ ports, from, to }: Rule, side: Side, home: string, pod: Pod): string[] {
    const peers = (side === 'Ingress' ? from : to) ?? []
    return (peers.length > 0 ? peers : [undefined]).flatMap((peer) => {
      const matched = peerOf(peer, side, home)
      if (matched === undefined) return []
      if (!ports?.length) return [`${matched} return`]
      return ports.flatMap((port) => {
        if (side === 'Egress' && typeof port.port === 'string') {
          const targets = peer && !peer.ipBlock ? podsOf(peer, home) : pods
          return targets.flatMap((one) => {
            const match = portOf(port, one)
            return match ? [`ip daddr ${one.status.podIP} ${match} return`] : []
          })
        }
        const match = portOf(port, pod)
        return match ? [`${matched} ${match} return`] : []
      })
    })
  }

  function chainsOf(side: Side): { chains: string[]; jumps: string[] } {
    const found = pods.flatMap((pod) => {
      const concerned = policies.filter(
        ({ metadata, spec }) =>
          metadata.namespace === pod.metadata.namespace &&
          selects(spec.podSelector ?? {}, pod.metadata.labels) &&
          (spec.policyTypes ?? ['Ingress', ...(spec.egress ? ['Egress'] : [])]).includes(side),
      )
      if (concerned.length === 0) return []
      const name = `${side}-${pod.status.podIP}`.replaceAll('.', '-')
      const rules = concerned.flatMap(({ metadata, spec }) =>
        (spec[side === 'Ingress' ? 'ingress' : 'egress'] ?? []).flatMap((rule) =>
          allowed(rule, side, metadata.namespace, pod),
        ),
      )
      const lines = [...new Set(rules), 'counter drop'].join('\n    ')
      return [{ chain: `  chain ${name} {\n    ${lines}\n  }`, jump: `${pod.status.podIP} : jump ${name}` }]
    })
    return { chains: found.map(({ chain }) => chain), jumps: found.map(({ jump }) => jump) }
  }

  const [egress, ingress] = [chainsOf('Egress'), chainsOf('Ingress')]
  const dispatch = (address: string, { jumps }: { jumps: string[] }) =>
    jumps.length > 0 ? `ip ${address} vmap ${set(jumps)}` : ''
  return `table inet policies
delete table inet policies
table inet policies {
${[...egress.chains, ...ingress.chains].join('\n')}
  chain forward {
    type filter hook forward priority filter; policy accept;
    ct state established,related return
    ${dispatch('saddr', egress)}
    ${dispatch('daddr', ingress)}
  }
}
`
}
