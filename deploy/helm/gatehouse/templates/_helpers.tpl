{{- /* Names and labels. */ -}}

{{- /* Short enough that every name made of it keeps to the 63 characters of a DNS label. */ -}}
{{- define "gatehouse.fullname" -}}
{{- $own := contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) -}}
{{- .Values.fullnameOverride | default $own | trunc 36 | trimSuffix "-" -}}
{{- end -}}

{{- /* What selects the pods of a component: these never change, or an upgrade would be refused. */ -}}
{{- define "gatehouse.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "gatehouse.labels" -}}
{{ include "gatehouse.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "gatehouse.metadata" -}}
name: {{ include "gatehouse.fullname" .root }}-{{ .name }}
namespace: {{ .root.Release.Namespace }}
labels: {{- include "gatehouse.labels" . | nindent 2 }}
{{- end -}}

{{- define "gatehouse.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- /* The services by their names and by their keys in values.yaml. */ -}}
{{- define "gatehouse.services" -}}
{gateway: gateway, token: token, client-registry: clientRegistry, identity: identity, events: events}
{{- end -}}
