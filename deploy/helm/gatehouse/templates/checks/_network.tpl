{{- /* What is wrong with the addresses of the release, and with the connections to and from it: a line for each, or nothing. */ -}}

{{- define "gatehouse.wrong.addresses" -}}
{{- with .Values.ingress -}}
{{- if and (or .enabled .internal.enabled) (not .host) -}}
{{- println "ingress.host is missing: which host leads to the gateway?" -}}
{{- end -}}
{{- range prepend .extraHosts . -}}
{{- if regexMatch "[:/]" (.host | default "") -}}
{{- printf "the host %s of the ingress is no name: without scheme, port and path; a port stands in publicBaseUrl\n" .host -}}
{{- end -}}
{{- end -}}
{{- if contains "*" .host -}}
{{- println "ingress.host must be one name, because it is the issuer's: a name with * can be one of ingress.extraHosts" -}}
{{- end -}}
{{- end -}}
{{- with .Values.httpRoute -}}
{{- range $field := list "parentRefs" "hostnames" -}}
{{- if and $.Values.httpRoute.enabled (not (get $.Values.httpRoute $field)) -}}
{{- printf "httpRoute.%s is missing: an HTTPRoute belongs to a Gateway and has a host name\n" $field -}}
{{- end -}}
{{- end -}}
{{- range .hostnames -}}
{{- if regexMatch "[:/]" . -}}
{{- printf "the host %s of the httpRoute is no name: without scheme, port and path; a port stands in publicBaseUrl\n" . -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $url := include "gatehouse.publicBaseUrl" . -}}
{{- if and .Values.gateway.tls.secretName (not (hasPrefix "https://" $url)) -}}
{{- printf "publicBaseUrl is %s, but with gateway.tls.secretName the gateway speaks https: give the address with https://\n" $url -}}
{{- end -}}
{{- with .Values.gateway.mutualTls -}}
{{- if and .enabled (not (or .secretName $.Values.gateway.tls.secretName)) -}}
{{- print "gateway.mutualTls.secretName is missing: the gateway needs a certificate for its port for clients with certificates\n" -}}
{{- end -}}
{{- end -}}
{{- $local := regexMatch "^https?://(localhost|127[.][0-9.]+|\\[::1\\])(:|$)" $url -}}
{{- $named := has "localhost" (append .Values.httpRoute.hostnames .Values.ingress.host) -}}
{{- range $value, $is := dict "gateway.service.type=LoadBalancer" (eq .Values.gateway.service.type "LoadBalancer") "ingress.enabled" .Values.ingress.enabled "httpRoute.enabled" .Values.httpRoute.enabled -}}
{{- if and $is $local (not $named) -}}
{{- printf "publicBaseUrl is %s, but with %s others come: give the address at which they reach the server\n" $url $value -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "gatehouse.wrong.connections" -}}
{{- with .Values.gateway.service -}}
{{- range $field := list "loadBalancerClass" "loadBalancerSourceRanges" "loadBalancerIP" "allocateLoadBalancerNodePorts" -}}
{{- $value := get $.Values.gateway.service $field -}}
{{- if and (or $value (kindIs "bool" $value)) (ne $.Values.gateway.service.type "LoadBalancer") -}}
{{- printf "gateway.service.%s has no effect with type %s: it is for LoadBalancer\n" $field $.Values.gateway.service.type -}}
{{- end -}}
{{- end -}}
{{- if eq .type "ClusterIP" -}}
{{- range $field := list "nodePort" "externalTrafficPolicy" -}}
{{- if and (get $.Values.gateway.service $field) (not $.Values.gateway.service.externalIPs) -}}
{{- printf "gateway.service.%s has no effect with type ClusterIP: it is for LoadBalancer and NodePort\n" $field -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- $dual := has .Values.ipFamilyPolicy (list "PreferDualStack" "RequireDualStack") -}}
{{- if and (eq .Values.listenAddress "0.0.0.0") (or $dual (has "IPv6" .Values.ipFamilies)) -}}
{{- println "listenAddress must be :: where Services have IPv6 addresses: at 0.0.0.0 nothing listens for those" -}}
{{- end -}}
{{- if and (eq (len .Values.ipFamilies) 2) (not $dual) -}}
{{- println "ipFamilies names two families: set ipFamilyPolicy to PreferDualStack or RequireDualStack" -}}
{{- end -}}

{{- $known := .Files.Get "files/paths.json" | fromJsonArray -}}
{{- range .Values.privatePaths -}}
{{- if or (eq . "/") (not (has . $known)) -}}
{{- printf "privatePaths: %s is none of the gateway's paths: %s\n" . (without $known "/" | join ", ") -}}
{{- end -}}
{{- end -}}
{{- range $kind := list "ingress" "httpRoute" -}}
{{- if and (get $.Values $kind).internal.enabled (not $.Values.privatePaths) -}}
{{- printf "%s.internal has nothing of its own: name the paths that only it leads to, as privatePaths=[/admin, /metrics]\n" $kind -}}
{{- end -}}
{{- end -}}
{{- with .Values.ingress -}}
{{- if and .enabled .internal.enabled (eq .className .internal.className) -}}
{{- if .internal.everything -}}
{{- println "ingress.internal.everything needs an ingress.internal.className of its own: a controller that serves both would join them" -}}
{{- else if not .internal.annotations -}}
{{- println "ingress.internal lets everybody in: give it a className of its own, or annotations by which the controller asks who calls" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with .Values.httpRoute -}}
{{- if .internal.enabled -}}
{{- if not .internal.parentRefs -}}
{{- println "httpRoute.internal.parentRefs is missing: which Gateway is inside?" -}}
{{- else if and .enabled (eq (toJson .parentRefs) (toJson .internal.parentRefs)) -}}
{{- println "httpRoute.internal lets everybody in: it must belong to other Gateways than httpRoute" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- with .Values.networkPolicy -}}
{{- if .egress.enabled -}}
{{- if not .enabled -}}
{{- println "networkPolicy.egress.enabled has no effect with networkPolicy.enabled=false" -}}
{{- end -}}
{{- $given := merge (dict) $.Values.secretRefs $.Values.secrets -}}
{{- $needed := dict
      "postgresql" (not $.Values.postgresql.enabled)
      "redis" (get $given "OAUTH2_REDIS_URL")
      "brokers" (regexMatch "redis|rabbit|nats|kafka" ($.Values.config.OAUTH2_EVENTS_BACKEND | default ""))
      "collector" $.Values.otel.endpoint
      "mail" (get $given "OAUTH2_SMTP_URL") -}}
{{- range $purpose, $is := $needed -}}
{{- if and $is (not (get $.Values.networkPolicy.egress $purpose)) -}}
{{- printf "networkPolicy.egress.%s is missing: the rules that let the services reach it\n" $purpose -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
