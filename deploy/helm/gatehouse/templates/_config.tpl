{{- /*
What the processes are told. files/variables.json is made from their schemas (config.ts of each service) and says which
service knows which variable, whether it is secret, and whether the process starts without it.
*/ -}}

{{- define "gatehouse.knownVariables" -}}
{{- index (.root.Files.Get "files/variables.json" | fromJson) .name | toJson -}}
{{- end -}}

{{- /* The variables that the chart sets by itself; a service gets those of them that it knows. */ -}}
{{- define "gatehouse.ownVariables" -}}
{{- $name := include "gatehouse.fullname" . -}}
NODE_ENV: production
OAUTH2_INTERNAL_HOST: {{ .Values.listenAddress | default "0.0.0.0" | quote }}
OAUTH2_INTERNAL_PORT: 9464
OAUTH2_GRPC_HOST: {{ .Values.listenAddress | default "0.0.0.0" | quote }}
OAUTH2_GRPC_PORT: 50051
OAUTH2_SERVER_HOST: {{ .Values.listenAddress | default "0.0.0.0" | quote }}
OAUTH2_SERVER_PORT: 8080
OAUTH2_SERVER_PUBLIC_BASE_URL: {{ include "gatehouse.publicBaseUrl" . }}
OAUTH2_SERVER_TRUST_PROXY_HEADERS: {{ include "gatehouse.trustedProxies" . | quote }}
# Through dns:/// a client knows every pod behind a headless Service, and shares its calls among them.
OAUTH2_TOKEN_ADDR: dns:///{{ $name }}-token:50051
OAUTH2_CLIENT_REGISTRY_ADDR: dns:///{{ $name }}-client-registry:50051
OAUTH2_IDENTITY_ADDR: dns:///{{ $name }}-identity:50051
OAUTH2_EVENTS_ADDR: dns:///{{ $name }}-events:50051
{{- if eq .Values.tls.mode "disabled" }}
OAUTH2_GRPC_PLAINTEXT: true
{{- else }}
OAUTH2_GRPC_TLS_CA: /etc/gatehouse/tls/ca.crt
OAUTH2_GRPC_TLS_CERT: /etc/gatehouse/tls/tls.crt
OAUTH2_GRPC_TLS_KEY: /etc/gatehouse/tls/tls.key
{{- end }}
{{- if .Values.gateway.tls.secretName }}
OAUTH2_SERVER_TLS_CERT: /etc/gatehouse/https/tls.crt
OAUTH2_SERVER_TLS_KEY: /etc/gatehouse/https/tls.key
{{- end }}
{{- if .Values.gateway.mutualTls.enabled }}
OAUTH2_MTLS_PORT: 8443
{{- if .Values.gateway.mutualTls.secretName }}
OAUTH2_MTLS_CERT: /etc/gatehouse/mtls/tls.crt
OAUTH2_MTLS_KEY: /etc/gatehouse/mtls/tls.key
{{- end }}
{{- end }}
{{- if .Values.token.clientAuthorities.configMapName }}
OAUTH2_CLIENT_CERTIFICATE_CA: /etc/gatehouse/client-authorities/ca.crt
{{- end }}
{{- with .Values.otel.endpoint }}
OAUTH2_OTLP_ENDPOINT: {{ . | quote }}
{{- end }}
{{- if .Values.redis.enabled }}
OAUTH2_REDIS_URL: redis://{{ $name }}-redis:6379
{{- end }}
{{- end -}}

{{- /* The name of the gateway's port for callers, which proxies take for its protocol. */ -}}
{{- define "gatehouse.publicPort" -}}
{{ .Values.gateway.tls.secretName | empty | ternary "http" "https" }}
{{- end -}}

{{- define "gatehouse.publicBaseUrl" -}}
{{- if .Values.publicBaseUrl -}}
{{ .Values.publicBaseUrl }}
{{- else if and .Values.ingress.enabled .Values.ingress.host -}}
{{ .Values.ingress.tls.enabled | ternary "https" "http" }}://{{ .Values.ingress.host }}
{{- else if and .Values.httpRoute.enabled .Values.httpRoute.hostnames -}}
{{ .Values.httpRoute.tls | ternary "https" "http" }}://{{ first .Values.httpRoute.hostnames }}
{{- else -}}
http://localhost:8080
{{- end -}}
{{- end -}}

{{- define "gatehouse.trustedProxies" -}}
{{- if ne .Values.trustedProxies nil -}}
{{ include "gatehouse.text" .Values.trustedProxies }}
{{- else -}}
{{ or .Values.ingress.enabled .Values.httpRoute.enabled | ternary "1" "false" }}
{{- end -}}
{{- end -}}

{{- /* A value as the text of a variable. A number from a file is a float, which Go would write as 2.592e+06. */ -}}
{{- define "gatehouse.text" -}}
{{- if kindIs "float64" . }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{- /* The variables of a service that are not secret. */ -}}
{{- define "gatehouse.config" -}}
{{- $own := include "gatehouse.ownVariables" .root | fromYaml -}}
{{- range $variable, $_ := include "gatehouse.knownVariables" . | fromJson -}}
{{- $value := get (hasKey $own $variable | ternary $own $.root.Values.config) $variable -}}
{{- if and (ne $value nil) (ne (toString $value) "") }}
{{ $variable }}: {{ include "gatehouse.text" $value | quote }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "gatehouse.configMap" -}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{- include "gatehouse.metadata" . | nindent 2 }}
data: {{- include "gatehouse.config" . | trim | nindent 2 }}
{{ end -}}
