{{- /* What is wrong with variables and secrets: a line for each, or nothing. */ -}}

{{- define "gatehouse.wrong.variables" -}}
{{- $variables := .Files.Get "files/variables.json" | fromJson -}}
{{- range $variable, $value := .Values.config -}}
{{- $flags := dict -}}
{{- range $variables }}{{ $flags = get . $variable | default $flags }}{{ end -}}
{{- if $flags.secret -}}
{{- printf "config.%s is secret: put it under secrets, secretRefs or secretFiles, or into existingSecret\n" $variable -}}
{{- else if hasKey $flags "setBy" -}}
{{- printf "config.%s is set by the chart: %s\n" $variable $flags.setBy -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "gatehouse.wrong.secrets" -}}
{{- $given := merge (dict) .Values.secretFiles .Values.secretRefs .Values.secrets -}}
{{- if and .Values.existingSecret .Values.secrets -}}
{{- println "secrets are given in two places: all are in existingSecret, or all under secrets" -}}
{{- end -}}
{{- range $variable, $ref := .Values.secretRefs -}}
{{- if get $.Values.secrets $variable -}}
{{- printf "%s is given twice: name it under secrets or secretRefs, not both\n" $variable -}}
{{- end -}}
{{- end -}}
{{- range $variable, $_ := .Values.secretFiles -}}
{{- if or (get $.Values.secrets $variable) (hasKey $.Values.secretRefs $variable) -}}
{{- printf "%s is given twice: name it under secretFiles alone, or not there\n" $variable -}}
{{- end -}}
{{- end -}}
{{- if not (or .Values.existingSecret .Values.postgresql.enabled (get $given "OAUTH2_DATABASE_URL")) -}}
{{- println "secrets.OAUTH2_DATABASE_URL is missing: give the address of a PostgreSQL there, in secretRefs, secretFiles or existingSecret, or for trying out set postgresql.enabled=true" -}}
{{- end -}}
{{- if and .Values.postgresql.enabled (get $given "OAUTH2_DATABASE_URL") -}}
{{- println "there are two databases: set OAUTH2_DATABASE_URL or postgresql.enabled, not both" -}}
{{- end -}}
{{- if and .Values.postgresql.enabled (get $given "OAUTH2_MIGRATION_DATABASE_URL") -}}
{{- println "OAUTH2_MIGRATION_DATABASE_URL does not go with postgresql.enabled: the bundled database has one role" -}}
{{- end -}}
{{- $pooled := eq (.Values.config.OAUTH2_DATABASE_POOLER | default "session") "transaction" -}}
{{- if and .Values.postgresql.enabled (or $pooled (get $given "OAUTH2_DATABASE_DIRECT_URL")) -}}
{{- println "OAUTH2_DATABASE_POOLER and OAUTH2_DATABASE_DIRECT_URL do not go with postgresql.enabled: the bundled database has no pooler" -}}
{{- else if and $pooled (not (or .Values.existingSecret (get $given "OAUTH2_DATABASE_DIRECT_URL"))) -}}
{{- println "OAUTH2_DATABASE_DIRECT_URL is missing: with config.OAUTH2_DATABASE_POOLER=transaction give the address of PostgreSQL itself under secrets, in secretRefs or in existingSecret" -}}
{{- end -}}
{{- if and .Values.redis.enabled (get $given "OAUTH2_REDIS_URL") -}}
{{- println "there are two Redis: set OAUTH2_REDIS_URL or redis.enabled, not both" -}}
{{- end -}}
{{- range $name := list "OAUTH2_JWT_SECRET" "OAUTH2_SESSION_KEY" "OAUTH2_FACTOR_KEY" -}}
{{- $next := printf "%s_NEXT" $name -}}
{{- range $variable := list $name $next -}}
{{- $length := get $.Values.secrets $variable | len -}}
{{- if and $length (lt $length 32) -}}
{{- printf "secrets.%s must have at least 32 bytes; it has %d\n" $variable $length -}}
{{- end -}}
{{- end -}}
{{- if and (get $.Values.secrets $next) (eq (get $.Values.secrets $next) (get $.Values.secrets $name)) -}}
{{- printf "secrets.%s must be another secret than %s\n" $next $name -}}
{{- end -}}
{{- end -}}
{{- $made := include "gatehouse.madeUp" . | fromJsonArray -}}
{{- if and $made (not .Values.generateSecrets) -}}
{{- if not (include "gatehouse.seesCluster" .) -}}
{{- printf "new secrets would be made at each rendering, because nothing can be looked up in the namespace %s (helm template, Argo CD, --dry-run=client, or a namespace that does not exist yet): create the namespace first, or give %s (existingSecret has them, too; tls.mode may be cert-manager or existing), or set generateSecrets=true to get new ones\n" .Release.Namespace (join ", " $made) -}}
{{- end -}}
{{- end -}}
{{- end -}}
