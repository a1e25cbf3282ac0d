import type { VariableOptions } from '@gatehouse/kit/config/config'
import { serviceSchemas } from '@gatehouse/local/service-schemas'
import { type TProperties, type TSchema, Type } from '@gatehouse/proto/typebox'
import { type ChartVariable, chartVariables, migrateSchema } from './chart-variables.ts'

// The chart's values.schema.json, which allows only the keys of values.yaml. `config` and `secrets` follow the processes' own
// schemas.

const closed = (properties: TProperties) => Type.Object(optional(properties), { additionalProperties: false })
const optional = (properties: TProperties) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]))

const text = Type.String()
const flag = Type.Boolean()
const whole = (minimum: number, maximum?: number) =>
  Type.Integer({ minimum, ...(maximum !== undefined && { maximum }) })
const orNull = (schema: TSchema) => ({ ...schema, type: [(schema as { type?: string }).type, 'null'] })
const texts = Type.Record(Type.String(), Type.String())
/** Parts of a pod that Kubernetes itself checks. */
const anyObject = { type: 'object' }
const anyObjects = { type: 'array', items: anyObject }
const words = Type.Array(Type.String({ minLength: 1 }))
const duration = Type.String({ pattern: '^([0-9]+(h|m|s|ms))+$' })

const resources = closed({ requests: anyObject, limits: anyObject, claims: anyObjects })
const pod = {
  resources,
  podSecurityContext: anyObject,
  containerSecurityContext: anyObject,
  podAnnotations: texts,
  podLabels: texts,
  serviceAccount: closed({ create: flag, name: text, annotations: texts, automount: flag }),
  priorityClassName: text,
  runtimeClassName: text,
  schedulerName: text,
  nodeSelector: texts,
  tolerations: anyObjects,
  affinity: anyObject,
  hostAliases: anyObjects,
  dnsPolicy: Type.Enum(['', 'ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']),
  dnsConfig: anyObject,
  extraEnv: anyObjects,
  extraEnvFrom: anyObjects,
  initContainers: anyObjects,
  extraVolumes: anyObjects,
  extraVolumeMounts: anyObjects,
}
/** A number of pods, or a part of them. */
const amount = { type: ['integer', 'string'], minimum: 0, pattern: '^[0-9]+%$' }
const probe = closed({
  initialDelaySeconds: whole(0),
  periodSeconds: whole(1),
  timeoutSeconds: whole(1),
  successThreshold: whole(1),
  failureThreshold: whole(1),
  terminationGracePeriodSeconds: whole(1),
})
const service = {
  ...pod,
  replicas: whole(0),
  autoscaling: closed({
    enabled: flag,
    minReplicas: whole(1),
    maxReplicas: whole(1),
    targetCPU: text,
    targetCPUUtilizationPercentage: orNull(whole(1)),
    requestsInFlight: orNull(whole(1)),
    extraMetrics: anyObjects,
    behavior: anyObject,
  }),
  podDisruptionBudget: closed({
    enabled: flag,
    maxUnavailable: amount,
    minAvailable: { ...amount, type: [...amount.type, 'null'] },
    unhealthyPodEvictionPolicy: Type.Enum(['AlwaysAllow', 'IfHealthyBudget']),
  }),
  strategy: closed({
    type: Type.Enum(['RollingUpdate', 'Recreate']),
    rollingUpdate: closed({ maxUnavailable: amount, maxSurge: amount }),
  }),
  revisionHistoryLimit: whole(0),
  lifecycle: anyObject,
  startupProbe: probe,
  readinessProbe: probe,
  livenessProbe: probe,
  extraContainers: anyObjects,
  terminationGracePeriodSeconds: whole(12),
  preStopSleepSeconds: whole(1),
  serviceAccountAnnotations: texts,
  topologySpreadConstraints: anyObjects,
}
const port = whole(1, 65_535)
const gatewayService = closed({
  type: Type.Enum(['ClusterIP', 'NodePort', 'LoadBalancer']),
  port: port,
  nodePort: orNull(port),
  ...{ annotations: texts, labels: texts },
  externalTrafficPolicy: Type.Enum(['', 'Local', 'Cluster']),
  loadBalancerClass: text,
  loadBalancerSourceRanges: words,
  loadBalancerIP: text,
  allocateLoadBalancerNodePorts: orNull(flag),
  externalIPs: words,
})
const issuer = closed({ name: text, kind: text, group: text })
const ofEachService = (schema: TSchema) =>
  closed({ gateway: schema, token: schema, clientRegistry: schema, identity: schema, events: schema })

const pullSecrets = { type: 'array', items: { type: ['object', 'string'] } }
const ingressTls = closed({ enabled: flag, secretName: text })

const values = {
  image: closed({
    registry: text,
    repository: Type.String({ minLength: 1 }),
    tag: text,
    digest: Type.String({ pattern: '^(sha256:[0-9a-f]{64})?$' }),
    pullPolicy: Type.Enum(['IfNotPresent', 'Always', 'Never']),
  }),
  imagePullSecrets: pullSecrets,
  ...{ commonLabels: texts, commonAnnotations: texts },
  extraObjects: { type: 'array', items: { type: ['object', 'string'] } },
  openshift: flag,
  fullnameOverride: Type.String({ pattern: '^([a-z]([-a-z0-9]*[a-z0-9])?)?$' }),
  clusterDomain: Type.String({ minLength: 1 }),
  publicBaseUrl: Type.String({ pattern: '^(https?://[^\\s/?#@\\\\]+)?$' }),
  trustedProxies: { ...trusted(), type: ['string', 'boolean', 'integer', 'null'] },
  config: variables(({ secret }) => !secret),
  secrets: secretVariables(),
  generateSecrets: flag,
  secretRefs: secretReferences(),
  secretFiles: secretPaths(),
  ipFamilyPolicy: Type.Enum(['', 'SingleStack', 'PreferDualStack', 'RequireDualStack']),
  ipFamilies: Type.Array(Type.Enum(['IPv4', 'IPv6']), { maxItems: 2, uniqueItems: true }),
  listenAddress: Type.Enum(['0.0.0.0', '::']),
  existingSecret: text,
  tls: closed({
    mode: Type.Enum(['generated', 'cert-manager', 'existing', 'disabled']),
    generated: closed({ validityDays: whole(2, 3_650), renewAfterDays: whole(0) }),
    certManager: closed({ issuerRef: issuer, duration, renewBefore: duration }),
    existingSecrets: ofEachService(text),
  }),
  otel: closed({
    endpoint: Type.String({ pattern: '^(https?://[^\\s]+)?$' }),
    env: { type: 'object', propertyNames: { pattern: '^OTEL_' } },
  }),
  defaults: closed(service),
  gateway: closed({
    ...{ ...service, service: gatewayService },
    tls: closed({ secretName: text }),
    mutualTls: closed({ enabled: flag, secretName: text, port, nodePort: orNull(port) }),
  }),
  token: closed({ ...service, clientAuthorities: closed({ configMapName: text }) }),
  clientRegistry: closed(service),
  identity: closed(service),
  events: closed(service),
  migrations: closed({
    ...pod,
    enabled: flag,
    backoffLimit: whole(0),
    ttlSecondsAfterFinished: orNull(whole(0)),
    annotations: texts,
  }),
  privatePaths: words,
  ingress: closed({
    enabled: flag,
    className: text,
    annotations: texts,
    host: text,
    extraHosts: {
      type: 'array',
      items: { ...closed({ host: text, secretName: text }), required: ['host'] },
    },
    tls: ingressTls,
    internal: closed({
      enabled: flag,
      className: text,
      annotations: texts,
      everything: flag,
      tls: ingressTls,
    }),
  }),
  httpRoute: closed({
    enabled: flag,
    parentRefs: anyObjects,
    hostnames: words,
    tls: flag,
    annotations: texts,
    internal: closed({ enabled: flag, parentRefs: anyObjects, annotations: texts, everything: flag }),
  }),
  networkPolicy: closed({
    enabled: flag,
    gatewayFrom: anyObjects,
    metricsFrom: anyObjects,
    egress: closed({
      enabled: flag,
      dns: anyObjects,
      postgresql: anyObjects,
      redis: anyObjects,
      brokers: anyObjects,
      collector: anyObjects,
      mail: anyObjects,
      web: anyObjects,
    }),
  }),
  metrics: closed({
    serviceMonitor: closed({ enabled: flag, labels: texts, interval: duration }),
    prometheusRule: closed({ enabled: flag, labels: texts }),
    dashboards: closed({ enabled: flag, labels: texts, annotations: texts }),
  }),
  postgresql: closed({
    enabled: flag,
    image: Type.String({ minLength: 1 }),
    password: Type.String({ pattern: '^[A-Za-z0-9]*$' }),
    storage: closed({ size: text, className: text }),
    resources,
  }),
  redis: closed({ enabled: flag, image: Type.String({ minLength: 1 }), resources }),
  // Other charts of a release have values of their own there.
  global: { ...Type.Object(optional({ imageRegistry: text, imagePullSecrets: pullSecrets })) },
}

/** The same values as the gateway's variable, and also as a number or a boolean. */
function trusted(): object {
  const { pattern } = serviceSchemas.gateway.properties.OAUTH2_SERVER_TRUST_PROXY_HEADERS as {
    pattern: string
  }
  return { pattern, minimum: 1, maximum: 99 }
}

/** The wanted variables of all services. The others are accepted too, because a template explains what is wrong with them. */
function variables(isWanted: (variable: ChartVariable) => boolean) {
  const all = [...Object.values(serviceSchemas), migrateSchema].flatMap(chartVariables)
  const properties = all.map(([name, variable]): [string, object] => [
    name,
    isWanted(variable) && !variable.setBy ? asValue(variable) : {},
  ])
  return closed(Object.fromEntries(properties.sort(([a], [b]) => (a < b ? -1 : 1))) as TProperties)
}

function secretVariables() {
  const all = variables(({ secret }) => secret === true)
  const properties = Object.entries(all.properties).filter(([, schema]) => 'type' in schema)
  return closed(Object.fromEntries(properties))
}

/** Where each secret is: a Secret, and a key in it. */
function secretReferences() {
  const reference = { ...closed({ name: Type.String({ minLength: 1 }), key: text }), required: ['name'] }
  const names = Object.keys(secretVariables().properties)
  return closed(Object.fromEntries(names.map((name) => [name, reference])) as unknown as TProperties)
}

function secretPaths() {
  const path = Type.String({ pattern: '^/' })
  return closed(Object.fromEntries(Object.keys(secretVariables().properties).map((name) => [name, path])))
}

/** The parts of a variable's schema. */
type Facets = Partial<
  Record<'type' | 'enum' | 'minimum' | 'maximum' | 'minLength' | 'maxLength', unknown>
> & {
  pattern?: string
} & VariableOptions

/** Helm uses Go's patterns, which have no lookahead; such values are checked only by the process. */
function asValue({ schema }: ChartVariable): object {
  const {
    type,
    enum: words,
    pattern,
    minimum,
    maximum,
    minLength,
    maxLength,
    description,
    rule,
  } = schema as Facets
  return {
    ...(rule !== undefined && { title: rule }),
    description,
    type: type ?? 'string',
    ...(words !== undefined && { enum: words }),
    ...(pattern !== undefined && !/\(\?[!=<]/.test(pattern) && { pattern }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
  }
}

/** The chart's values.schema.json. */
export function chartSchema(): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'The values of the chart gatehouse',
    ...closed(values as TProperties),
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}
