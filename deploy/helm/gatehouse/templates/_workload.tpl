{{- /*
The objects that every service has. Each takes a dict: root, name (of the service), values (its own on top of the
defaults), callers (whose pods may call it) and, of the gateway alone, http (it has a public port).
*/ -}}

{{- define "gatehouse.deployment" -}}
{{- $known := include "gatehouse.knownVariables" . | fromJson -}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{- include "gatehouse.metadata" . | nindent 2 }}
spec:
  {{- /* An autoscaler's number would be undone by every upgrade. */}}
  {{- if not .values.autoscaling.enabled }}
  replicas: {{ .values.replicas }}
  {{- end }}
  revisionHistoryLimit: {{ .values.revisionHistoryLimit }}
  strategy: {{- eq .values.strategy.type "RollingUpdate" | ternary .values.strategy (omit .values.strategy "rollingUpdate") | toYaml | nindent 4 }}
  selector:
    matchLabels: {{- include "gatehouse.selector" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "gatehouse.podLabels" . | trim | nindent 8 }}
      annotations:
        {{- with .values.podAnnotations }}{{ toYaml . | nindent 8 }}{{ end }}
        checksum/config: {{ include "gatehouse.config" . | sha256sum }}
        {{- with include "gatehouse.secretChecksum" . }}
        checksum/secrets: {{ . }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "gatehouse.serviceAccountName" . }}
      {{- include "gatehouse.scheduling" . | nindent 6 }}
      topologySpreadConstraints:
        {{- include "gatehouse.topologySpread" . | trim | nindent 8 }}
      # SIGTERM comes after preStop. The process is no longer ready then, finishes what is under way within 10 s, and ends.
      terminationGracePeriodSeconds: {{ .values.terminationGracePeriodSeconds }}
      {{- $waits := hasKey $known "OAUTH2_DATABASE_URL" }}
      {{- if or $waits .values.initContainers }}
      initContainers:
        {{- /* Those of the user come first: a proxy to the database must be there for the one below. */}}
        {{- with .values.initContainers }}{{ toYaml . | nindent 8 }}{{ end }}
      {{- end }}
      {{- if $waits }}
      {{- /*
      The migrations come with the same release as an ordinary Job, not as a hook: a hook would have to run before the
      Secret, the certificates and the bundled database exist. So new pods wait here until the tables are there. At
      an upgrade the old ones go on serving meanwhile, for a release's migrations leave alone what the release before
      needs; and when the migrations fail, no old pod of these services is replaced. The gateway does not know the database,
      so it does not wait: new gateways start as soon as the old services answer, and work with those.
      */}}
        - {{ include "gatehouse.databaseProcess" (merge (dict "process" "wait-for-migrations") .) | nindent 10 | trim }}
      {{- end }}
      containers:
        - {{ include "gatehouse.container" . | nindent 10 | trim }}
        {{- with .values.extraContainers }}{{ toYaml . | nindent 8 }}{{ end }}
      {{- $tls := ne .root.Values.tls.mode "disabled" }}
      {{- $https := and .http .root.Values.gateway.tls.secretName }}
      {{- $mtls := include "gatehouse.mutualTlsSecret" . }}
      {{- $authorities := include "gatehouse.clientAuthorities" . }}
      {{- if or $tls $https $mtls $authorities .values.extraVolumes }}
      volumes:
        {{- if $tls }}
        - name: tls
          # For the group of the pod's user alone.
          secret: { secretName: {{ include "gatehouse.tlsSecretName" . }}, defaultMode: 0440 }
        {{- end }}
        {{- with $https }}
        - name: https
          secret: { secretName: {{ . }}, defaultMode: 0440 }
        {{- end }}
        {{- with $mtls }}
        - name: mtls
          secret: { secretName: {{ . }}, defaultMode: 0440 }
        {{- end }}
        {{- with $authorities }}
        - name: client-authorities
          configMap: { name: {{ . }} }
        {{- end }}
        {{- with .values.extraVolumes }}{{ toYaml . | nindent 8 }}{{ end }}
      {{- end }}
{{ end -}}

{{- /* The Secret of the gateway's certificate for clients with certificates, if it has one of its own. */ -}}
{{- define "gatehouse.mutualTlsSecret" -}}
{{- with .root.Values.gateway.mutualTls -}}
{{- if and $.http .enabled }}{{ .secretName }}{{ end -}}
{{- end -}}
{{- end -}}

{{- /* The ConfigMap of the authorities of clients, where a service reads them. */ -}}
{{- define "gatehouse.clientAuthorities" -}}
{{- if eq .name "token" }}{{ .root.Values.token.clientAuthorities.configMapName }}{{ end -}}
{{- end -}}

{{- define "gatehouse.container" -}}
{{- $known := include "gatehouse.knownVariables" . | fromJson -}}
name: {{ .name }}
{{ include "gatehouse.process" (merge (dict "process" .name) .) }}
ports:
  {{- if .http }}
  - { name: {{ include "gatehouse.publicPort" .root }}, containerPort: 8080 }
  {{- if .root.Values.gateway.mutualTls.enabled }}
  - { name: mtls, containerPort: 8443 }
  {{- end }}
  {{- end }}
  {{- if hasKey $known "OAUTH2_GRPC_PORT" }}
  - { name: grpc, containerPort: 50051 }
  {{- end }}
  - { name: internal, containerPort: 9464 }
envFrom:
  {{- /* Of two with the same variable the later one wins: what the chart sets holds. */}}
  {{- with .values.extraEnvFrom }}{{ toYaml . | nindent 2 }}{{ end }}
  - configMapRef: { name: {{ include "gatehouse.fullname" .root }}-{{ .name }} }
env:
  {{- /* Each pod names itself in its traces, by a variable that refers to the one before. */}}
  {{- if not (hasKey .root.Values.otel.env "OTEL_RESOURCE_ATTRIBUTES") }}
  - { name: POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
  - name: OTEL_RESOURCE_ATTRIBUTES
    value: k8s.namespace.name={{ .root.Release.Namespace }},k8s.pod.name=$(POD_NAME)
  {{- end }}
  {{- range $variable, $value := .root.Values.otel.env }}
  - { name: {{ $variable }}, value: {{ include "gatehouse.text" $value | quote }} }
  {{- end }}
  {{- include "gatehouse.secretEnv" . | trim | nindent 2 }}
  {{- with .values.extraEnv }}{{ toYaml . | nindent 2 }}{{ end }}
# The internal port: probes are neither limited nor behind users' requests there. /live says that the event loop turns,
# /ready that the process has started and is not ending; a database that is away makes no pod unready, for then
# nobody would answer at all.
{{- range $probe, $path := dict "startupProbe" "/live" "readinessProbe" "/ready" "livenessProbe" "/live" }}
{{ $probe }}: {{- merge (dict "httpGet" (dict "path" $path "port" "internal")) (get $.values $probe) | toYaml | nindent 2 }}
{{- end }}
# Kubernetes tells everybody of the pod's end at the same time as the pod; until all have heard it, it goes on serving.
{{- $sleep := dict "preStop" (dict "sleep" (dict "seconds" .values.preStopSleepSeconds)) }}
lifecycle: {{- hasKey .values.lifecycle "preStop" | ternary .values.lifecycle (merge $sleep .values.lifecycle) | toYaml | nindent 2 }}
{{- $tls := ne .root.Values.tls.mode "disabled" }}
{{- $https := and .http .root.Values.gateway.tls.secretName }}
{{- $mtls := include "gatehouse.mutualTlsSecret" . }}
{{- $authorities := include "gatehouse.clientAuthorities" . }}
{{- if or $tls $https $mtls $authorities .values.extraVolumeMounts }}
volumeMounts:
  {{- /* Whole directories: of a single file (subPath) the kubelet would not bring renewals. */}}
  {{- if $tls }}
  - { name: tls, mountPath: /etc/gatehouse/tls, readOnly: true }
  {{- end }}
  {{- if $https }}
  - { name: https, mountPath: /etc/gatehouse/https, readOnly: true }
  {{- end }}
  {{- if $mtls }}
  - { name: mtls, mountPath: /etc/gatehouse/mtls, readOnly: true }
  {{- end }}
  {{- if $authorities }}
  - { name: client-authorities, mountPath: /etc/gatehouse/client-authorities, readOnly: true }
  {{- end }}
  {{- with .values.extraVolumeMounts }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}
{{- end -}}

{{- define "gatehouse.topologySpread" -}}
{{- if .values.topologySpreadConstraints -}}
{{ toYaml .values.topologySpreadConstraints }}
{{- else -}}
{{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
- topologyKey: {{ $key }}
  maxSkew: 1
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- include "gatehouse.selector" $ | nindent 6 }}
  # Each revision by itself, or the old pods of an upgrade would count.
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end -}}
{{- end -}}

{{- define "gatehouse.headlessService" -}}
---
apiVersion: v1
kind: Service
metadata: {{- include "gatehouse.metadata" . | nindent 2 }}
spec:
  # Headless: its name resolves to every pod that is ready, and callers share their calls among them.
  clusterIP: None
  {{- with include "gatehouse.ipFamilies" .root }}{{ . | trim | nindent 2 }}{{ end }}
  publishNotReadyAddresses: false
  selector: {{- include "gatehouse.selector" . | nindent 4 }}
  ports:
    - { name: grpc, port: 50051, targetPort: grpc }
    - { name: internal, port: 9464, targetPort: internal }
{{ end -}}
