{{- /* Which Secret has a service's certificate, and which names the certificate is for. */ -}}

{{- define "gatehouse.tlsSecretName" -}}
{{- if eq .root.Values.tls.mode "existing" -}}
{{ get .root.Values.tls.existingSecrets (index (include "gatehouse.services" .root | fromYaml) .name) }}
{{- else -}}
{{ include "gatehouse.fullname" .root }}-{{ .name }}-tls
{{- end -}}
{{- end -}}

{{- /* Every name by which a pod of the cluster may call the service. */ -}}
{{- define "gatehouse.dnsNames" -}}
{{- $name := printf "%s-%s" (include "gatehouse.fullname" .root) .name -}}
{{- $namespace := .root.Release.Namespace -}}
- {{ $name }}
- {{ $name }}.{{ $namespace }}
- {{ $name }}.{{ $namespace }}.svc
- {{ $name }}.{{ $namespace }}.svc.{{ .root.Values.clusterDomain }}
{{- end -}}
