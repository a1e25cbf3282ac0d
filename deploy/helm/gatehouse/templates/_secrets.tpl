{{- /* What must not be shown: the chart's own Secret, or one of the user's. */ -}}

{{- define "gatehouse.secretName" -}}
{{ .Values.existingSecret | default (printf "%s-secrets" (include "gatehouse.fullname" .)) }}
{{- end -}}

{{- /* The variables whose secrets are made up where they are given nowhere, as a list. */ -}}
{{- define "gatehouse.secretsToMake" -}}
{{- $made := list -}}
{{- range $variable := list "OAUTH2_JWT_SECRET" "OAUTH2_SESSION_KEY" "OAUTH2_FACTOR_KEY" "OAUTH2_SEED_PASSWORD" -}}
{{- if not (or (hasKey $.Values.secretRefs $variable) (hasKey $.Values.secretFiles $variable)) }}{{ $made = append $made $variable }}{{ end -}}
{{- end -}}
{{- $made | toJson -}}
{{- end -}}

{{- /*
The contents of the chart's own Secret. What is given nowhere is made up once: the cluster is asked what an earlier
install made up. All templates of a run must see the same, so it is worked out the first time only.
*/ -}}
{{- define "gatehouse.secretValues" -}}
{{- if not (hasKey .Values "workedOut") -}}
{{- $kept := (lookup "v1" "Secret" .Release.Namespace (include "gatehouse.secretName" .)).data | default dict -}}
{{- $values := dict -}}
{{- range $variable := include "gatehouse.secretsToMake" . | fromJsonArray -}}
{{- $length := ternary 24 48 (eq $variable "OAUTH2_SEED_PASSWORD") -}}
{{- $_ := set $values $variable (get $kept $variable | b64dec | default (randAlphaNum $length)) -}}
{{- end -}}
{{- range $variable, $value := .Values.secrets -}}
{{- with $value }}{{ $_ := set $values $variable . }}{{ end -}}
{{- end -}}
{{- $_ := set .Values "workedOut" $values -}}
{{- end -}}
{{- .Values.workedOut | toJson -}}
{{- end -}}

{{- /* What this rendering makes up unless an earlier one did: a list of names, which is empty where everything is given. */ -}}
{{- define "gatehouse.madeUp" -}}
{{- $made := list -}}
{{- if not .Values.existingSecret -}}
{{- range $variable := include "gatehouse.secretsToMake" . | fromJsonArray -}}
{{- if not (get $.Values.secrets $variable) }}{{ $made = append $made (printf "secrets.%s" $variable) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.postgresql.enabled (not .Values.postgresql.password) -}}
{{- $made = append $made "postgresql.password" -}}
{{- end -}}
{{- if eq .Values.tls.mode "generated" -}}
{{- $made = append $made "the certificates of tls.mode=generated" -}}
{{- end -}}
{{- $made | toJson -}}
{{- end -}}

{{- /*
Whether this rendering sees what the cluster keeps, so that it finds what an earlier one made up. Every namespace has these two
objects; Helm must be able to read both kinds in the release's namespace anyway, because the chart makes such objects. Nothing outside
of it is looked at. Says yes or nothing.
*/ -}}
{{- define "gatehouse.seesCluster" -}}
{{- if lookup "v1" "ServiceAccount" .Release.Namespace "default" -}}yes
{{- else if lookup "v1" "ConfigMap" .Release.Namespace "kube-root-ca.crt" -}}yes
{{- end -}}
{{- end -}}

{{- /* The Secret with the bundled database's password and address, with the same care. */ -}}
{{- define "gatehouse.postgresqlPassword" -}}
{{- if not (hasKey .Values.postgresql "workedOut") -}}
{{- $kept := (lookup "v1" "Secret" .Release.Namespace (printf "%s-postgresql" (include "gatehouse.fullname" .))).data -}}
{{- $password := .Values.postgresql.password | default (get ($kept | default dict) "POSTGRES_PASSWORD" | b64dec) -}}
{{- $_ := set .Values.postgresql "workedOut" ($password | default (randAlphaNum 32)) -}}
{{- end -}}
{{- .Values.postgresql.workedOut -}}
{{- end -}}

{{- /* The secret variables of a service, each from where it is; one that is given nowhere is left out. */ -}}
{{- define "gatehouse.secretEnv" -}}
{{- $root := .root -}}
{{- $own := include "gatehouse.ownVariables" $root | fromYaml -}}
{{- range $variable, $flags := include "gatehouse.knownVariables" . | fromJson -}}
{{- if and $flags.secret (not (hasKey $own $variable)) -}}
{{- if and (regexMatch "_DATABASE_(DIRECT_)?URL$" $variable) $root.Values.postgresql.enabled }}
{{- /* The bundled database has one role and no pooler, whatever an existing Secret says of another database. */}}
{{- if eq $variable "OAUTH2_DATABASE_URL" }}
- name: {{ $variable }}
  valueFrom: { secretKeyRef: { name: {{ include "gatehouse.fullname" $root }}-postgresql, key: {{ $variable }} } }
{{- end }}
{{- else if hasKey $root.Values.secretFiles $variable }}
- { name: {{ $variable }}_FILE, value: {{ get $root.Values.secretFiles $variable | quote }} }
{{- else if hasKey $root.Values.secretRefs $variable }}
{{- $ref := get $root.Values.secretRefs $variable }}
- name: {{ $variable }}
  valueFrom: { secretKeyRef: { name: {{ $ref.name }}, key: {{ $ref.key | default $variable }} } }
{{- else if $root.Values.existingSecret }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $root.Values.existingSecret }}
      key: {{ $variable }}
      {{- if not $flags.required }}
      optional: true
      {{- end }}
{{- else if hasKey (include "gatehouse.secretValues" $root | fromJson) $variable }}
- name: {{ $variable }}
  valueFrom: { secretKeyRef: { name: {{ include "gatehouse.secretName" $root }}, key: {{ $variable }} } }
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /*
Changes when a secret of the service changes, so that its pods are restarted. The two long keys go into all of them, or
who reads annotations could try passwords until the sum is right. Nothing where they, or all secrets, are in Secrets of the user.
*/ -}}
{{- define "gatehouse.secretChecksum" -}}
{{- $values := dict -}}
{{- if not .root.Values.existingSecret }}{{ $values = include "gatehouse.secretValues" .root | fromJson }}{{ end -}}
{{- if and $values.OAUTH2_JWT_SECRET $values.OAUTH2_SESSION_KEY -}}
{{- $own := dict "salt" (printf "%s %s" $values.OAUTH2_JWT_SECRET $values.OAUTH2_SESSION_KEY) -}}
{{- range $variable, $flags := include "gatehouse.knownVariables" . | fromJson -}}
{{- if and $flags.secret (hasKey $values $variable) }}{{ $_ := set $own $variable (get $values $variable) }}{{ end -}}
{{- end -}}
{{- if .root.Values.postgresql.enabled }}{{ $_ := set $own "database" (include "gatehouse.postgresqlPassword" .root) }}{{ end -}}
{{- $own | toJson | sha256sum -}}
{{- end -}}
{{- end -}}
