{{- /* Names, labels and images. */ -}}

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

{{- /*
The metadata of an object. Takes root and name (of the component), and where the object differs: objectName (its whole name), labels
and annotations (its own, which win over those of all objects).
*/ -}}
{{- define "gatehouse.metadata" -}}
name: {{ .objectName | default (printf "%s-%s" (include "gatehouse.fullname" .root) .name) }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- with merge (dict) (.labels | default dict) .root.Values.commonLabels }}{{ toYaml . | nindent 2 }}{{ end }}
  {{- include "gatehouse.labels" . | nindent 2 }}
{{- with merge (dict) (.annotations | default dict) .root.Values.commonAnnotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* The labels of a component's pods: the common ones too, which select nothing. */ -}}
{{- define "gatehouse.podLabels" -}}
{{- with merge (dict) ((.values | default dict).podLabels | default dict) .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{ include "gatehouse.selector" . }}
{{- end -}}

{{- define "gatehouse.image" -}}
{{- with .Values.global.imageRegistry | default .Values.image.registry }}{{ . }}/{{ end -}}
{{- .Values.image.repository -}}
{{- with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end -}}
{{- end -}}

{{- /* One of the images for trying out, from the registry that has all images if there is one. */ -}}
{{- define "gatehouse.bundledImage" -}}
{{- with .root.Values.global.imageRegistry }}{{ . }}/{{ end }}{{ .image -}}
{{- end -}}

{{- /* The Secrets with which a pod's images are pulled. */ -}}
{{- define "gatehouse.imagePullSecrets" -}}
{{- with concat .Values.global.imagePullSecrets .Values.imagePullSecrets -}}
imagePullSecrets:
  {{- range . }}
  - {{ kindIs "string" . | ternary (dict "name" .) . | toYaml }}
  {{- end }}
{{- end -}}
{{- end -}}

{{- /* Which addresses the Services have. */ -}}
{{- define "gatehouse.ipFamilies" -}}
{{- with .Values.ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.ipFamilies }}
ipFamilies: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* The services by their names and by their keys in values.yaml. */ -}}
{{- define "gatehouse.services" -}}
{gateway: gateway, token: token, client-registry: clientRegistry, identity: identity, events: events}
{{- end -}}
