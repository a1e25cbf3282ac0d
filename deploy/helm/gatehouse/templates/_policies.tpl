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
{{ end -}}
{{- end -}}
{{- end -}}

{{- define "gatehouse.disruptionBudget" -}}
{{- if .values.podDisruptionBudget.enabled -}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{- include "gatehouse.metadata" . | nindent 2 }}
spec:
  maxUnavailable: 1
  # A pod that does not get ready keeps no node from being drained.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "gatehouse.selector" . | nindent 6 }}
{{ end -}}
{{- end -}}

{{- /*
What comes in; what goes out depends on where database, brokers and login providers are, and is left alone. Probes come
from the node itself, which network plugins let through.
*/ -}}
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
  policyTypes: [Ingress]
  ingress:
    {{- if $.http }}
    - ports: [{ port: http }]
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
