import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { run } from '@gatehouse/test/programs/programs'
import { kubeconfigFor } from '../cluster/kubeconfig.ts'
import { apiPort, cgroupName, inRun, registry } from './places.ts'

/** The callers of the API server, with their users and groups: by tokens in a file, which are less to make than a certificate for each. */
const callers = {
  admin: ['admin', 'admin', '"system:masters"'],
  controllers: ['system:kube-controller-manager', 'controllers'],
  scheduler: ['system:kube-scheduler', 'scheduler'],
  proxy: ['system:kube-proxy', 'proxy'],
  kubelet: ['system:node:node', 'kubelet', '"system:nodes"'],
}

/** The file by which a program finds the API server and is known there. */
export const kubeconfigOf = (caller: keyof typeof callers) => inRun('config', `${caller}.kubeconfig`)

/** The file with the token of the administrator. */
export const adminTokenFile = inRun('config', 'admin.token')

/** Writes what the programs of a new node read. */
export async function writeConfig(): Promise<void> {
  for (const name of [
    'bin',
    'config',
    'cni',
    'containerd',
    'etcd',
    'kubelet',
    'log',
    'pods',
    'registry',
    'sys',
  ])
    mkdirSync(inRun(name), { recursive: true })
  for (const name of ['1', '2', '3']) mkdirSync(inRun('volumes', name), { recursive: true })
  writeCallers()
  await writeKeys()
  writeFileSync(inRun('config', 'containerd.toml'), containerd)
  writeFileSync(inRun('config', 'kubelet.yaml'), JSON.stringify(kubelet))
  writeFileSync(inRun('config', 'proxy.yaml'), JSON.stringify(proxy))
  writeFileSync(inRun('config', 'registry.yaml'), JSON.stringify(registryConfig))
  writeFileSync(inRun('cni', '10-pods.conflist'), JSON.stringify(network))
  // Pods ask no other name server than the cluster's; the steps ask it, too.
  writeFileSync(inRun('config', 'resolv.conf'), '')
  const search = 'search gatehouse.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n'
  writeFileSync(inRun('config', 'node-resolv.conf'), `nameserver 10.96.0.10\n${search}`)
  // Settings of the whole machine that the kubelet wants to change: it gets these files in their place.
  const settings = { overcommit_memory: 1, panic: 10, panic_on_oops: 1 }
  for (const [name, value] of Object.entries(settings)) writeFileSync(inRun('sys', name), `${value}\n`)
}

function writeCallers(): void {
  const rows = Object.entries(callers).map(([caller, columns]) => {
    const token = randomBytes(16).toString('hex')
    writeFileSync(kubeconfigOf(caller as keyof typeof callers), kubeconfigFor(apiPort, token))
    if (caller === 'admin') writeFileSync(adminTokenFile, token)
    return [token, ...columns].join(',')
  })
  writeFileSync(inRun('config', 'tokens.csv'), `${rows.join('\n')}\n`)
}

async function writeKeys(): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(inRun('config', 'accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  // By it the API server proves to extensions, such as the metrics server, that it is the one that asks.
  const files = ['-keyout', inRun('config', 'front.key'), '-out', inRun('config', 'front.crt')]
  const options = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', '-subj', '/CN=front-proxy']
  const { ok, stderr } = await run('openssl', ['req', ...options, ...files])
  if (!ok) throw new Error(`openssl: ${stderr}`)
}

const socket = '/run/containerd/containerd.sock'

// `restrict_oom_score_adj`: where root may not do all, it may not protect a process from being ended for its memory.
const containerd = `version = 2
root = "${inRun('containerd')}"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs"]
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/tools:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${inRun('cni')}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
`

const registryConfig = {
  version: '0.1',
  log: { level: 'error' },
  storage: { filesystem: { rootdirectory: inRun('registry') } },
  http: { addr: registry },
}

const kubelet = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  failCgroupV1: false,
  cgroupDriver: 'cgroupfs',
  cgroupRoot: `/${cgroupName}`,
  containerRuntimeEndpoint: `unix://${socket}`,
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  clusterDNS: ['10.96.0.10'],
  clusterDomain: 'cluster.local',
  resolvConf: inRun('config', 'resolv.conf'),
  podLogsDir: inRun('pods'),
  failSwapOn: false,
  makeIPTablesUtilChains: false,
  imageGCHighThresholdPercent: 100,
  imageGCLowThresholdPercent: 99,
  evictionHard: {
    'memory.available': '100Mi',
    'nodefs.available': '1%',
    'imagefs.available': '1%',
    'nodefs.inodesFree': '1%',
  },
  maxPods: 80,
}

const proxy = {
  apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
  kind: 'KubeProxyConfiguration',
  mode: 'nftables',
  clusterCIDR: '10.244.0.0/16',
  clientConnection: { kubeconfig: kubeconfigOf('proxy') },
  conntrack: { maxPerCore: 0, min: 0 },
  hostnameOverride: 'node',
}

// Every pod has a cable to the node of its own, so all that is sent between pods is routed, where the rules of services and
// of policies see it.
const network = {
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'ptp',
      mtu: 1500,
      ipam: {
        type: 'host-local',
        dataDir: '/run/cni-ipam',
        ranges: [[{ subnet: '10.244.0.0/24' }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
}
