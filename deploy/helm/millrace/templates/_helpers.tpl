{{- define "millrace.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "millrace.fullname" -}}
{{- default (printf "%s-%s" .Release.Name (include "millrace.name" .)) .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "millrace.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride -}}
{{- end -}}

{{- define "millrace.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "millrace.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "millrace.selectorLabels" -}}
app.kubernetes.io/name: {{ include "millrace.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* metadata of an object; call with (dict "root" $ "name" NAME "component" COMPONENT "annotations" MAP) */}}
{{- define "millrace.metadata" -}}
name: {{ .name }}
namespace: {{ include "millrace.namespace" .root }}
labels:
  helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
  app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .root.Release.Service }}
  app.kubernetes.io/component: {{ .component }}
  {{- include "millrace.selectorLabels" .root | nindent 2 }}
  {{- with .root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- $annotations := merge (dict) (default (dict) .annotations) .root.Values.commonAnnotations }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "millrace.image" -}}
{{- with .Values.global.millrace.image -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}

{{/* Name of the secret that the chart creates, empty if nothing is in it. */}}
{{- define "millrace.secretName" -}}
{{- $auth := and .Values.server.basicAuth.enabled (not .Values.server.basicAuth.existingSecret) -}}
{{- if or $auth (include "millrace.connectionString" .) -}}
{{ include "millrace.fullname" . }}
{{- end -}}
{{- end -}}

{{/* The connection string that the chart stores, empty if it comes from a secret of the user. */}}
{{- define "millrace.connectionString" -}}
{{- with .Values.externalDatabase -}}
{{- if $.Values.sqlite.enabled -}}
{{- else if .connectionString -}}
{{ .connectionString }}
{{- else if and .host (not .passwordSecretKey) -}}
postgres://{{ .username | urlquery | replace "+" "%20" }}{{ with .password }}:{{ . | urlquery | replace "+" "%20" }}{{ end }}@{{ .host }}:{{ .port }}/{{ .name }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "millrace.validate" -}}
{{- with .Values -}}
{{- $database := .externalDatabase -}}
{{- $hasPostgres := or $database.connectionString $database.connectionStringSecretKey $database.host -}}
{{- if and .sqlite.enabled $hasPostgres }}{{ fail "sqlite.enabled and externalDatabase exclude each other: set one of them" }}{{ end -}}
{{- if not (or .sqlite.enabled $hasPostgres) }}{{ fail "no database: set externalDatabase.connectionString (or its other fields), or sqlite.enabled=true" }}{{ end -}}
{{- if and .sqlite.enabled (or (gt (int .server.replicaCount) 1) .server.autoscaling.enabled) }}{{ fail "SQLite serves one server: set server.replicaCount=1 and server.autoscaling.enabled=false, or use PostgreSQL" }}{{ end -}}
{{- if and .sqlite.enabled (gt (int .server.processes) 1) }}{{ fail "SQLite serves one process: set server.processes=1, or use PostgreSQL" }}{{ end -}}
{{- if and .sqlite.enabled .backgroundServices.runAsSeparateDeployment }}{{ fail "backgroundServices.runAsSeparateDeployment needs PostgreSQL" }}{{ end -}}
{{- if and .server.basicAuth.enabled (not .server.basicAuth.authString) (not .server.basicAuth.existingSecret) }}{{ fail "server.basicAuth: set authString (user:password) or existingSecret" }}{{ end -}}
{{- if not (or .server.basicAuth.enabled .server.allowAnonymous) }}{{ fail "no password: set server.basicAuth.enabled=true, or server.allowAnonymous=true to let everyone who can reach the service change all data" }}{{ end -}}
{{- if and (or $database.connectionStringSecretKey $database.passwordSecretKey) (not $database.existingSecret) }}{{ fail "externalDatabase.existingSecret is missing" }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* environment of all containers; call with (dict "root" $ "env" LIST) */}}
{{- define "millrace.env" -}}
{{- $values := .root.Values -}}
{{- $database := $values.externalDatabase -}}
- name: MILLRACE_SERVER_PORT
  value: {{ $values.service.targetPort | quote }}
- name: MILLRACE_SERVER_LOG_LEVEL
  value: {{ $values.server.loggingLevel | lower | quote }}
- name: MILLRACE_SERVER_PROCESSES
  value: {{ $values.server.processes | quote }}
{{- if $values.sqlite.enabled }}
- name: MILLRACE_DATABASE_URL
  value: sqlite:/data/millrace.db
{{- else if $database.connectionStringSecretKey }}
- name: MILLRACE_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ $database.existingSecret }}
      key: {{ $database.connectionStringSecretKey }}
{{- else if $database.passwordSecretKey }}
- name: PGPASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ $database.existingSecret }}
      key: {{ $database.passwordSecretKey }}
- name: MILLRACE_DATABASE_URL
  value: postgres://{{ $database.username | urlquery | replace "+" "%20" }}@{{ $database.host }}:{{ $database.port }}/{{ $database.name }}
{{- else }}
- name: MILLRACE_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "millrace.secretName" .root }}
      key: connection-string
{{- end }}
{{- if $values.server.basicAuth.enabled }}
- name: MILLRACE_SERVER_API_AUTH_STRING
  valueFrom:
    secretKeyRef:
      name: {{ default (include "millrace.secretName" .root) $values.server.basicAuth.existingSecret }}
      key: auth-string
{{- end }}
{{- if $values.server.allowAnonymous }}
- name: MILLRACE_SERVER_ALLOW_ANONYMOUS
  value: "true"
{{- end }}
{{- with $values.server.basePath }}
- name: MILLRACE_SERVER_BASE_PATH
  value: {{ . | quote }}
{{- end }}
{{- with $values.server.uiUrl }}
- name: MILLRACE_SERVER_UI_URL
  value: {{ . | quote }}
{{- end }}
{{- with concat $values.global.millrace.env .env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* settings that the pods of both deployments share; call with (dict "root" $ "values" VALUES) */}}
{{- define "millrace.podSettings" -}}
serviceAccountName: {{ include "millrace.serviceAccountName" .root }}
automountServiceAccountToken: {{ .root.Values.server.automountServiceAccountToken }}
terminationGracePeriodSeconds: {{ .root.Values.server.terminationGracePeriodSeconds }}
{{- with .root.Values.server.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.global.millrace.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  {{- toYaml .root.Values.server.podSecurityContext | nindent 2 }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
