{{- define "hakopod.name" -}}
{{- if contains "hakopod" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-hakopod" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{/* Labels a Deployment selects by. Call with (list $ "server"). */}}
{{- define "hakopod.selector" -}}
app.kubernetes.io/name: hakopod
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* All labels. managed-by is Helm: objects of the chart are not what Hakopod manages. */}}
{{- define "hakopod.labels" -}}
{{ include "hakopod.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version }}
{{- end }}

{{- define "hakopod.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{/* What the pods of both roles have in common: held to the Pod Security standard "restricted". */}}
{{- define "hakopod.pod" -}}
automountServiceAccountToken: true
# A Service of our name would put HAKOPOD_ variables into the environment that are no settings.
enableServiceLinks: false
terminationGracePeriodSeconds: 45
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "hakopod.container" -}}
image: {{ include "hakopod.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
args: [serve]
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - configMapRef: { name: {{ include "hakopod.name" . }} }
{{- end }}

{{/* Comes after envFrom, so nothing in `config` can change it. */}}
{{- define "hakopod.env" -}}
- name: HAKOPOD_NAMESPACE
  value: {{ .Release.Namespace }}
- name: HAKOPOD_REDIS_URL
  valueFrom:
    secretKeyRef: { name: {{ .Values.redis.secretName }}, key: {{ .Values.redis.secretKey }} }
{{- end }}
