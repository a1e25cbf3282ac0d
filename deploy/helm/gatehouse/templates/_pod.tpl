{{- /* What every pod of the chart has: no rights that it does not need, whichever process it runs. */ -}}

{{- define "gatehouse.podSecurityContext" -}}
{{- $standard := dict
      "runAsNonRoot" true "runAsUser" 65532 "runAsGroup" 65532 "fsGroup" 65532
      "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- mergeOverwrite $standard (.values.podSecurityContext | default dict) | toYaml -}}
{{- end -}}

{{- define "gatehouse.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- /* The fields of a pod that the chart passes on from the values. */ -}}
{{- define "gatehouse.scheduling" -}}
# No process asks the Kubernetes API, and none reads the addresses of all Services from its variables.
automountServiceAccountToken: false
enableServiceLinks: false
securityContext: {{- include "gatehouse.podSecurityContext" . | nindent 2 }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $field := list "priorityClassName" "nodeSelector" "tolerations" "affinity" }}
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
env:
  - { name: NODE_ENV, value: production }
  {{- include "gatehouse.secretEnv" (dict "root" .root "name" "migrate") | trim | nindent 2 }}
  {{- with .values.extraEnv }}{{ toYaml . | nindent 2 }}{{ end }}
{{- with .values.extraVolumeMounts }}
volumeMounts: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
