{{- /* What is wrong with names, certificates and services: a line for each, or nothing. */ -}}

{{- define "gatehouse.wrong.names" -}}
{{- if .Chart.IsRoot -}}
{{- range $name, $_ := omit .Values.global "imageRegistry" "imagePullSecrets" -}}
{{- printf "global.%s has no effect: of global this chart reads imageRegistry and imagePullSecrets\n" $name -}}
{{- end -}}
{{- end -}}
{{- $own := include "gatehouse.labels" (dict "root" . "name" "x") | fromYaml -}}
{{- $places := dict "commonLabels" .Values.commonLabels "defaults.podLabels" .Values.defaults.podLabels "migrations.podLabels" .Values.migrations.podLabels -}}
{{- range $_, $key := include "gatehouse.services" . | fromYaml -}}
{{- $_ := set $places (printf "%s.podLabels" $key) (get $.Values $key).podLabels -}}
{{- end -}}
{{- range $place, $labels := $places -}}
{{- range $name, $_ := $labels -}}
{{- if hasKey $own $name -}}
{{- printf "%s.%s is set by the chart: by it Services and Deployments find their pods\n" $place $name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.openshift (or .Values.postgresql.enabled .Values.redis.enabled) -}}
{{- println "postgresql.enabled and redis.enabled do not go with openshift: their images need the users that they were made for" -}}
{{- end -}}
{{- with .Values.tls -}}
{{- if and (eq .mode "generated") (le (int .generated.validityDays) (int .generated.renewAfterDays)) -}}
{{- println "tls.generated.validityDays must be more than tls.generated.renewAfterDays: else a certificate ends before an upgrade renews it" -}}
{{- end -}}
{{- if eq .mode "existing" -}}
{{- range $_, $key := include "gatehouse.services" $ | fromYaml -}}
{{- if not (get $.Values.tls.existingSecrets $key) -}}
{{- printf "tls.existingSecrets.%s is missing: with tls.mode=existing name the Secret that has its certificate\n" $key -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "gatehouse.wrong.services" -}}
{{- range $_, $key := include "gatehouse.services" . | fromYaml -}}
{{- with mergeOverwrite (deepCopy $.Values.defaults) (get $.Values $key) -}}
{{- if gt (int .autoscaling.minReplicas) (int .autoscaling.maxReplicas) -}}
{{- printf "%s.autoscaling.minReplicas is greater than its maxReplicas\n" $key -}}
{{- end -}}
{{- if lt (int .terminationGracePeriodSeconds) (add (int .preStopSleepSeconds) 12 | int) -}}
{{- printf "%s.terminationGracePeriodSeconds must be at least preStopSleepSeconds + 12: a process takes up to 10 s to finish what is under way\n" $key -}}
{{- end -}}
{{- if and (eq $key "gateway") .autoscaling.requestsInFlight (not $.Values.config.OAUTH2_RESILIENCE_ENABLED) -}}
{{- println "gateway.autoscaling.requestsInFlight needs config.OAUTH2_RESILIENCE_ENABLED=true: else the gateway does not count them" -}}
{{- end -}}
{{- $fewest := int (ternary .autoscaling.minReplicas .replicas .autoscaling.enabled) -}}
{{- $stay := .podDisruptionBudget.minAvailable -}}
{{- if and .podDisruptionBudget.enabled (kindIs "float64" $stay) (gt $fewest 0) (ge (int $stay) $fewest) -}}
{{- printf "%s.podDisruptionBudget.minAvailable must be less than the %d pods that there may be: else no node can be drained\n" $key $fewest -}}
{{- end -}}
{{- $rolling := .strategy.rollingUpdate | default dict -}}
{{- if and (eq .strategy.type "RollingUpdate") (regexMatch "^0%?$" (toString $rolling.maxUnavailable)) (regexMatch "^0%?$" (toString $rolling.maxSurge)) -}}
{{- printf "%s.strategy allows neither a pod more nor one less: no pod could ever be replaced\n" $key -}}
{{- end -}}
{{- if and .serviceAccount.create (eq .serviceAccount.name "default") -}}
{{- printf "%s.serviceAccount.name=default is the namespace's own: set serviceAccount.create=false to use it\n" $key -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
