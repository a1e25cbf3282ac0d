{{- /* Which Secret has a service's certificate, and which names the certificate is for. */ -}}

{{- define "gatehouse.tlsSecretName" -}}
{{- if eq .root.Values.tls.mode "existing" -}}
{{ get .root.Values.tls.existingSecrets (index (include "gatehouse.services" .root | fromYaml) .name) }}
{{- else -}}
{{- /* Not one Secret for both: Helm would remove, or refuse to take over, what cert-manager keeps there. */ -}}
{{ include "gatehouse.fullname" .root }}-{{ .name }}-{{ eq .root.Values.tls.mode "cert-manager" | ternary "cert" "tls" }}
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
