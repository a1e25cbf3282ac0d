{{- /* Which paths lead to the gateway from where. files/paths.json is made from its routes and has the first part of each. */ -}}

{{- /*
The paths of the public Ingress and HTTPRoute: all, or all but privatePaths. Those are left out rather than refused, because leaving out
is the one thing that every controller does alike.
*/ -}}
{{- define "gatehouse.publicPaths" -}}
{{- if .Values.privatePaths -}}
{{- $paths := list -}}
{{- range .Files.Get "files/paths.json" | fromJsonArray -}}
{{- if not (has . $.Values.privatePaths) -}}
{{- $paths = append $paths (dict "path" . "type" (eq . "/" | ternary "Exact" "Prefix")) -}}
{{- end -}}
{{- end -}}
{{- $paths | toJson -}}
{{- else -}}
[{"path": "/", "type": "Prefix"}]
{{- end -}}
{{- end -}}

{{- /* The paths of the internal ones. */ -}}
{{- define "gatehouse.internalPaths" -}}
{{- $paths := list -}}
{{- range .everything | ternary (list "/") .root.Values.privatePaths -}}
{{- $paths = append $paths (dict "path" . "type" "Prefix") -}}
{{- end -}}
{{- $paths | toJson -}}
{{- end -}}

{{- /* An Ingress. Takes root, objectName, paths, ingress (className, annotations and tls), and the hosts as [{host, secretName}]. */ -}}
{{- define "gatehouse.ingress" -}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{- include "gatehouse.metadata" (dict "root" .root "name" "gateway" "objectName" .objectName "annotations" .ingress.annotations) | nindent 2 }}
spec:
  {{- with .ingress.className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- if .ingress.tls.enabled }}
  tls:
    {{- range .hosts }}
    - hosts: [{{ .host | quote }}]
      {{- with .secretName }}
      secretName: {{ . }}
      {{- end }}
    {{- end }}
  {{- end }}
  rules:
    {{- range .hosts }}
    - host: {{ .host | quote }}
      http:
        paths:
          {{- range $.paths | fromJsonArray }}
          - path: {{ .path }}
            pathType: {{ .type }}
            backend:
              service:
                name: {{ include "gatehouse.fullname" $.root }}-gateway
                port: { name: {{ include "gatehouse.publicPort" $.root }} }
          {{- end }}
    {{- end }}
{{ end -}}

{{- /* An HTTPRoute. Takes root, objectName, paths, and route (parentRefs, hostnames, annotations). A rule takes 8 matches. */ -}}
{{- define "gatehouse.httpRoute" -}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{- include "gatehouse.metadata" (dict "root" .root "name" "gateway" "objectName" .objectName "annotations" .route.annotations) | nindent 2 }}
spec:
  parentRefs: {{- toYaml .route.parentRefs | nindent 4 }}
  hostnames: {{- toYaml .hostnames | nindent 4 }}
  rules:
    {{- range chunk 8 (.paths | fromJsonArray) }}
    - matches:
        {{- range . }}
        - path: { type: {{ eq .type "Prefix" | ternary "PathPrefix" "Exact" }}, value: {{ .path }} }
        {{- end }}
      backendRefs:
        - name: {{ include "gatehouse.fullname" $.root }}-gateway
          port: {{ $.root.Values.gateway.service.port }}
    {{- end }}
{{ end -}}
