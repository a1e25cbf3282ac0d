{{- /* How many pods a service has, how few while nodes are drained, and who reaches them. */ -}}

{{- define "gatehouse.autoscaler" -}}
{{- with .values.autoscaling -}}
{{- if .enabled -}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {{- include "gatehouse.metadata" $ | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "gatehouse.fullname" $.root }}-{{ $.name }}
  minReplicas: {{ .minReplicas }}
  maxReplicas: {{ .maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        {{- if .targetCPUUtilizationPercentage }}
        target: { type: Utilization, averageUtilization: {{ .targetCPUUtilizationPercentage }} }
        {{- else }}
        target: { type: AverageValue, averageValue: {{ .targetCPU | quote }} }
        {{- end }}
    {{- with .requestsInFlight }}
    - type: Pods
      pods:
        metric: { name: {{ $.http | default false | ternary "oauth2_server_back_pressure_under_way" "oauth2_server_actor_mailbox_depth" }} }
        target: { type: AverageValue, averageValue: {{ . | quote }} }
    {{- end }}
    {{- with .extraMetrics }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- with .behavior }}
  behavior: {{- toYaml . | nindent 4 }}
  {{- else }}
  # Up at once, for load comes suddenly; down slowly, for it comes again, and a pod that is gone is missed at once.
  behavior:
    scaleUp:
      stabilizationWindowSeconds: 0
      selectPolicy: Max
      policies:
        - { type: Percent, value: 100, periodSeconds: 30 }
        - { type: Pods, value: 2, periodSeconds: 30 }
    scaleDown:
      stabilizationWindowSeconds: 300
      selectPolicy: Max
      policies:
        - { type: Percent, value: 20, periodSeconds: 60 }
        - { type: Pods, value: 1, periodSeconds: 60 }
  {{- end }}
{{ end -}}
{{- end -}}
{{- end -}}

{{- define "gatehouse.disruptionBudget" -}}
{{- with .values.podDisruptionBudget -}}
{{- if .enabled -}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{- include "gatehouse.metadata" $ | nindent 2 }}
spec:
  {{- if ne .minAvailable nil }}
  minAvailable: {{ .minAvailable }}
  {{- else }}
  maxUnavailable: {{ .maxUnavailable }}
  {{- end }}
  unhealthyPodEvictionPolicy: {{ .unhealthyPodEvictionPolicy }}
  selector:
    matchLabels: {{- include "gatehouse.selector" $ | nindent 6 }}
{{ end -}}
{{- end -}}
{{- end -}}

{{- /* Who reaches a service, and, where that is wanted, whom it reaches. Probes come from the node itself, which network plugins let through. */ -}}
{{- define "gatehouse.networkPolicy" -}}
{{- with .root.Values.networkPolicy -}}
{{- if .enabled -}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{- include "gatehouse.metadata" $ | nindent 2 }}
spec:
  podSelector:
    matchLabels: {{- include "gatehouse.selector" $ | nindent 6 }}
  policyTypes: [Ingress{{ if .egress.enabled }}, Egress{{ end }}]
  ingress:
    {{- if $.http }}
    - ports: [{ port: {{ include "gatehouse.publicPort" $.root }} }{{ if $.root.Values.gateway.mutualTls.enabled }}, { port: mtls }{{ end }}]
      {{- with .gatewayFrom }}
      from: {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- end }}
    {{- if $.callers }}
    - ports: [{ port: grpc }]
      from: {{- include "gatehouse.podsOf" $ | trim | nindent 8 }}
    {{- end }}
    {{- with .metricsFrom }}
    - ports: [{ port: internal }]
      from: {{- toYaml . | nindent 8 }}
    {{- end }}
  {{- if .egress.enabled }}
  egress: {{- include "gatehouse.egress" $ | trim | nindent 4 }}
  {{- end }}
{{ end -}}
{{- end -}}
{{- end -}}

{{- /* The callers' pods of this release, as peers of a NetworkPolicy. */ -}}
{{- define "gatehouse.podsOf" -}}
{{- range $caller := .callers }}
- podSelector:
    matchLabels: {{- include "gatehouse.selector" (dict "root" $.root "name" $caller) | nindent 6 }}
{{- end }}
{{- end -}}

{{- /*
What goes out of a component: name servers, the services that it calls, and of each of the other purposes what the values say, if a
variable that it knows tells that it has that purpose.
*/ -}}
{{- define "gatehouse.egress" -}}
{{- $known := include "gatehouse.knownVariables" . | fromJson -}}
{{- with .root.Values.networkPolicy.egress }}
{{- with .dns }}
{{ toYaml . }}
{{- end }}
{{- range $callee, $_ := include "gatehouse.services" $ | fromYaml }}
{{- if hasKey $known (printf "OAUTH2_%s_ADDR" ($callee | upper | replace "-" "_")) }}
- ports: [{ port: grpc }]
  to: {{- include "gatehouse.podsOf" (dict "root" $.root "callers" (list $callee)) | trim | nindent 4 }}
{{- end }}
{{- end }}
{{- range $purpose, $variables := include "gatehouse.purposes" $ | fromYaml }}
{{- $has := false }}
{{- range $variables }}{{ $has = or $has (hasKey $known .) }}{{ end }}
{{- if $has }}
{{- $bundled := and (has $purpose (list "postgresql" "redis")) (get $.root.Values $purpose).enabled }}
{{- if $bundled }}
- ports: [{ port: {{ $purpose }} }]
  to: {{- include "gatehouse.podsOf" (dict "root" $.root "callers" (list $purpose)) | trim | nindent 4 }}
{{- else }}
{{- with get $.root.Values.networkPolicy.egress $purpose }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* The purposes of connections to outside, and for each the variables of which those know one who have it. */ -}}
{{- define "gatehouse.purposes" -}}
postgresql: [OAUTH2_DATABASE_URL]
redis: [OAUTH2_REDIS_URL]
brokers: [OAUTH2_EVENTS_BACKEND]
collector: [OAUTH2_OTLP_ENDPOINT]
mail: [OAUTH2_SMTP_URL]
web: [OAUTH2_GOOGLE_CLIENT_ID, OAUTH2_FETCH_ALLOWED_NETWORKS]
{{- end -}}
