{{- /* What every pod of the chart has: no rights that it does not need, whichever process it runs. */ -}}

{{- /* Takes root and ids (user and groups of the image), and of the chart's own processes values. OpenShift chooses the ids by itself. */ -}}
{{- define "gatehouse.podSecurityContext" -}}
{{- $standard := dict "runAsNonRoot" true "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- if not .root.Values.openshift }}{{ $standard = merge $standard .ids }}{{ end -}}
{{- mergeOverwrite $standard ((.values | default dict).podSecurityContext | default dict) | toYaml -}}
{{- end -}}

{{- define "gatehouse.containerSecurityContext" -}}
{{- $standard := dict
      "allowPrivilegeEscalation" false
      "readOnlyRootFilesystem" true
      "capabilities" (dict "drop" (list "ALL")) -}}
{{- mergeOverwrite $standard ((.values | default dict).containerSecurityContext | default dict) | toYaml -}}
{{- end -}}

{{- /* The fields of a pod that the chart passes on from the values. */ -}}
{{- define "gatehouse.scheduling" -}}
# No process asks the Kubernetes API, and none reads the addresses of all Services from its variables.
automountServiceAccountToken: {{ .values.serviceAccount.automount }}
enableServiceLinks: false
{{- $ids := dict "runAsUser" 65532 "runAsGroup" 65532 "fsGroup" 65532 }}
securityContext: {{- include "gatehouse.podSecurityContext" (merge (dict "ids" $ids) .) | nindent 2 }}
{{- with include "gatehouse.imagePullSecrets" .root }}
{{ . }}
{{- end }}
{{- range $field := list "priorityClassName" "runtimeClassName" "schedulerName" "nodeSelector" "tolerations" "affinity" "hostAliases" "dnsPolicy" "dnsConfig" }}
{{- with get $.values $field }}
{{ dict $field . | toYaml }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* One of the image's processes, which has no shell: its argument is the process's name. */ -}}
{{- define "gatehouse.process" -}}
image: {{ include "gatehouse.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
args: [{{ .process }}{{ with .option }}, {{ . }}{{ end }}]
securityContext: {{- include "gatehouse.containerSecurityContext" . | nindent 2 }}
{{- with .values.resources }}
resources: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* A process that needs the database and nothing else: `migrate`, and `wait-for-migrations`. */ -}}
{{- define "gatehouse.databaseProcess" -}}
name: {{ .process }}
{{ include "gatehouse.process" . }}
{{- with .values.extraEnvFrom }}
envFrom: {{- toYaml . | nindent 2 }}
{{- end }}
env:
  - { name: NODE_ENV, value: production }
  {{- include "gatehouse.secretEnv" (dict "root" .root "name" .process) | trim | nindent 2 }}
  {{- with .values.extraEnv }}{{ toYaml . | nindent 2 }}{{ end }}
{{- with .values.extraVolumeMounts }}
volumeMounts: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
