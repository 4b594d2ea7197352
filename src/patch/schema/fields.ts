/**
 * Written by scripts/generate-patch-schema.ts; do not edit. A line per type: its fields with their types (`[]` a list, `{}` a map), how
 * lists and objects are patched, and by which key the elements of a list are told apart.
 */
export const FIELDS = `
version v0.35.4
kind deployment Deployment
kind service Service
kind ingress Ingress
AWSElasticBlockStoreVolumeSource: volumeID string, fsType string, partition int32, readOnly bool
Affinity: nodeAffinity NodeAffinity, podAffinity PodAffinity, podAntiAffinity PodAntiAffinity
AppArmorProfile: type string, localhostProfile string
AzureDiskVolumeSource: diskName string, diskURI string, cachingMode string, fsType string, readOnly bool, kind string
AzureFileVolumeSource: secretName string, shareName string, readOnly bool
CSIVolumeSource: driver string, readOnly bool, fsType string, volumeAttributes {}string, nodePublishSecretRef LocalObjectReference
Capabilities: add []string, drop []string
CephFSVolumeSource: monitors []string, path string, user string, secretFile string, secretRef LocalObjectReference, readOnly bool
CinderVolumeSource: volumeID string, fsType string, readOnly bool, secretRef LocalObjectReference
ClientIPConfig: timeoutSeconds int32
ClusterTrustBundleProjection: name string, signerName string, labelSelector LabelSelector, optional bool, path string
Condition: type string, status string, observedGeneration int64, lastTransitionTime time, reason string, message string
ConfigMapEnvSource: name string, optional bool
ConfigMapKeySelector: name string, key string, optional bool
ConfigMapProjection: name string, items []KeyToPath, optional bool
ConfigMapVolumeSource: name string, items []KeyToPath, defaultMode int32, optional bool
Container: name string, image string, command []string, args []string, workingDir string, ports []ContainerPort merge by containerPort, envFrom []EnvFromSource, env []EnvVar merge by name, resources ResourceRequirements, resizePolicy []ContainerResizePolicy, restartPolicy string, restartPolicyRules []ContainerRestartRule, volumeMounts []VolumeMount merge by mountPath, volumeDevices []VolumeDevice merge by devicePath, livenessProbe Probe, readinessProbe Probe, startupProbe Probe, lifecycle Lifecycle, terminationMessagePath string, terminationMessagePolicy string, imagePullPolicy string, securityContext SecurityContext, stdin bool, stdinOnce bool, tty bool
ContainerPort: name string, hostPort int32, containerPort int32, protocol string, hostIP string
ContainerResizePolicy: resourceName string, restartPolicy string
ContainerRestartRule: action string, exitCodes ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: operator string, values []int32
Deployment: kind string, apiVersion string, metadata ObjectMeta, spec DeploymentSpec, status DeploymentStatus
DeploymentCondition: type string, status string, lastUpdateTime time, lastTransitionTime time, reason string, message string
DeploymentSpec: replicas int32, selector LabelSelector, template PodTemplateSpec, strategy DeploymentStrategy retainKeys, minReadySeconds int32, revisionHistoryLimit int32, paused bool, progressDeadlineSeconds int32
DeploymentStatus: observedGeneration int64, replicas int32, updatedReplicas int32, readyReplicas int32, availableReplicas int32, unavailableReplicas int32, terminatingReplicas int32, conditions []DeploymentCondition merge by type, collisionCount int32
DeploymentStrategy: type string, rollingUpdate RollingUpdateDeployment
DownwardAPIProjection: items []DownwardAPIVolumeFile
DownwardAPIVolumeFile: path string, fieldRef ObjectFieldSelector, resourceFieldRef ResourceFieldSelector, mode int32
DownwardAPIVolumeSource: items []DownwardAPIVolumeFile, defaultMode int32
EmptyDirVolumeSource: medium string, sizeLimit quantity
EnvFromSource: prefix string, configMapRef ConfigMapEnvSource, secretRef SecretEnvSource
EnvVar: name string, value string, valueFrom EnvVarSource
EnvVarSource: fieldRef ObjectFieldSelector, resourceFieldRef ResourceFieldSelector, configMapKeyRef ConfigMapKeySelector, secretKeyRef SecretKeySelector, fileKeyRef FileKeySelector
EphemeralContainer: name string, image string, command []string, args []string, workingDir string, ports []ContainerPort merge by containerPort, envFrom []EnvFromSource, env []EnvVar merge by name, resources ResourceRequirements, resizePolicy []ContainerResizePolicy, restartPolicy string, restartPolicyRules []ContainerRestartRule, volumeMounts []VolumeMount merge by mountPath, volumeDevices []VolumeDevice merge by devicePath, livenessProbe Probe, readinessProbe Probe, startupProbe Probe, lifecycle Lifecycle, terminationMessagePath string, terminationMessagePolicy string, imagePullPolicy string, securityContext SecurityContext, stdin bool, stdinOnce bool, tty bool, targetContainerName string
EphemeralVolumeSource: volumeClaimTemplate PersistentVolumeClaimTemplate
ExecAction: command []string
FCVolumeSource: targetWWNs []string, lun int32, fsType string, readOnly bool, wwids []string
FileKeySelector: volumeName string, path string, key string, optional bool
FlexVolumeSource: driver string, fsType string, secretRef LocalObjectReference, readOnly bool, options {}string
FlockerVolumeSource: datasetName string, datasetUUID string
GCEPersistentDiskVolumeSource: pdName string, fsType string, partition int32, readOnly bool
GRPCAction: port int32, service string
GitRepoVolumeSource: repository string, revision string, directory string
GlusterfsVolumeSource: endpoints string, path string, readOnly bool
HTTPGetAction: path string, port int-or-string, host string, scheme string, httpHeaders []HTTPHeader
HTTPHeader: name string, value string
HTTPIngressPath: path string, pathType string, backend IngressBackend
HTTPIngressRuleValue: paths []HTTPIngressPath
HostAlias: ip string, hostnames []string
HostPathVolumeSource: path string, type string
ISCSIVolumeSource: targetPortal string, iqn string, lun int32, iscsiInterface string, fsType string, readOnly bool, portals []string, chapAuthDiscovery bool, chapAuthSession bool, secretRef LocalObjectReference, initiatorName string
ImageVolumeSource: reference string, pullPolicy string
Ingress: kind string, apiVersion string, metadata ObjectMeta, spec IngressSpec, status IngressStatus
IngressBackend: service IngressServiceBackend, resource TypedLocalObjectReference
IngressLoadBalancerIngress: ip string, hostname string, ports []IngressPortStatus
IngressLoadBalancerStatus: ingress []IngressLoadBalancerIngress
IngressPortStatus: port int32, protocol string, error string
IngressRule: host string, http HTTPIngressRuleValue
IngressServiceBackend: name string, port ServiceBackendPort
IngressSpec: ingressClassName string, defaultBackend IngressBackend, tls []IngressTLS, rules []IngressRule
IngressStatus: loadBalancer IngressLoadBalancerStatus
IngressTLS: hosts []string, secretName string
KeyToPath: key string, path string, mode int32
LabelSelector: matchLabels {}string, matchExpressions []LabelSelectorRequirement
LabelSelectorRequirement: key string, operator string, values []string
Lifecycle: postStart LifecycleHandler, preStop LifecycleHandler, stopSignal string
LifecycleHandler: exec ExecAction, httpGet HTTPGetAction, tcpSocket TCPSocketAction, sleep SleepAction
LoadBalancerIngress: ip string, hostname string, ipMode string, ports []PortStatus
LoadBalancerStatus: ingress []LoadBalancerIngress
LocalObjectReference: name string
ManagedFieldsEntry: manager string, operation string, apiVersion string, time time, fieldsType string, fieldsV1 raw, subresource string
NFSVolumeSource: server string, path string, readOnly bool
NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution NodeSelector, preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm
NodeSelector: nodeSelectorTerms []NodeSelectorTerm
NodeSelectorRequirement: key string, operator string, values []string
NodeSelectorTerm: matchExpressions []NodeSelectorRequirement, matchFields []NodeSelectorRequirement
ObjectFieldSelector: apiVersion string, fieldPath string
ObjectMeta: name string, generateName string, namespace string, selfLink string, uid string, resourceVersion string, generation int64, creationTimestamp time, deletionTimestamp time, deletionGracePeriodSeconds int64, labels {}string, annotations {}string, ownerReferences []OwnerReference merge by uid, finalizers []string merge, managedFields []ManagedFieldsEntry
OwnerReference: apiVersion string, kind string, name string, uid string, controller bool, blockOwnerDeletion bool
PersistentVolumeClaimSpec: accessModes []string, selector LabelSelector, resources VolumeResourceRequirements, volumeName string, storageClassName string, volumeMode string, dataSource TypedLocalObjectReference, dataSourceRef TypedObjectReference, volumeAttributesClassName string
PersistentVolumeClaimTemplate: metadata ObjectMeta, spec PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource: claimName string, readOnly bool
PhotonPersistentDiskVolumeSource: pdID string, fsType string
PodAffinity: requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm, preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm
PodAffinityTerm: labelSelector LabelSelector, namespaces []string, topologyKey string, namespaceSelector LabelSelector, matchLabelKeys []string, mismatchLabelKeys []string
PodAntiAffinity: requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm, preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm
PodCertificateProjection: signerName string, keyType string, maxExpirationSeconds int32, credentialBundlePath string, keyPath string, certificateChainPath string, userAnnotations {}string
PodDNSConfig: nameservers []string, searches []string, options []PodDNSConfigOption
PodDNSConfigOption: name string, value string
PodOS: name string
PodReadinessGate: conditionType string
PodResourceClaim: name string, resourceClaimName string, resourceClaimTemplateName string
PodSchedulingGate: name string
PodSecurityContext: seLinuxOptions SELinuxOptions, windowsOptions WindowsSecurityContextOptions, runAsUser int64, runAsGroup int64, runAsNonRoot bool, supplementalGroups []int64, supplementalGroupsPolicy string, fsGroup int64, sysctls []Sysctl, fsGroupChangePolicy string, seccompProfile SeccompProfile, appArmorProfile AppArmorProfile, seLinuxChangePolicy string
PodSpec: volumes []Volume merge,retainKeys by name, initContainers []Container merge by name, containers []Container merge by name, ephemeralContainers []EphemeralContainer merge by name, restartPolicy string, terminationGracePeriodSeconds int64, activeDeadlineSeconds int64, dnsPolicy string, nodeSelector {}string, serviceAccountName string, serviceAccount string, automountServiceAccountToken bool, nodeName string, hostNetwork bool, hostPID bool, hostIPC bool, shareProcessNamespace bool, securityContext PodSecurityContext, imagePullSecrets []LocalObjectReference merge by name, hostname string, subdomain string, affinity Affinity, schedulerName string, tolerations []Toleration, hostAliases []HostAlias merge by ip, priorityClassName string, priority int32, dnsConfig PodDNSConfig, readinessGates []PodReadinessGate, runtimeClassName string, enableServiceLinks bool, preemptionPolicy string, overhead {}quantity, topologySpreadConstraints []TopologySpreadConstraint merge by topologyKey, setHostnameAsFQDN bool, os PodOS, hostUsers bool, schedulingGates []PodSchedulingGate merge by name, resourceClaims []PodResourceClaim merge,retainKeys by name, resources ResourceRequirements, hostnameOverride string, workloadRef WorkloadReference
PodTemplateSpec: metadata ObjectMeta, spec PodSpec
PortStatus: port int32, protocol string, error string
PortworxVolumeSource: volumeID string, fsType string, readOnly bool
PreferredSchedulingTerm: weight int32, preference NodeSelectorTerm
Probe: exec ExecAction, httpGet HTTPGetAction, tcpSocket TCPSocketAction, grpc GRPCAction, initialDelaySeconds int32, timeoutSeconds int32, periodSeconds int32, successThreshold int32, failureThreshold int32, terminationGracePeriodSeconds int64
ProjectedVolumeSource: sources []VolumeProjection, defaultMode int32
QuobyteVolumeSource: registry string, volume string, readOnly bool, user string, group string, tenant string
RBDVolumeSource: monitors []string, image string, fsType string, pool string, user string, keyring string, secretRef LocalObjectReference, readOnly bool
ResourceClaim: name string, request string
ResourceFieldSelector: containerName string, resource string, divisor quantity
ResourceRequirements: limits {}quantity, requests {}quantity, claims []ResourceClaim
RollingUpdateDeployment: maxUnavailable int-or-string, maxSurge int-or-string
SELinuxOptions: user string, role string, type string, level string
ScaleIOVolumeSource: gateway string, system string, secretRef LocalObjectReference, sslEnabled bool, protectionDomain string, storagePool string, storageMode string, volumeName string, fsType string, readOnly bool
SeccompProfile: type string, localhostProfile string
SecretEnvSource: name string, optional bool
SecretKeySelector: name string, key string, optional bool
SecretProjection: name string, items []KeyToPath, optional bool
SecretVolumeSource: secretName string, items []KeyToPath, defaultMode int32, optional bool
SecurityContext: capabilities Capabilities, privileged bool, seLinuxOptions SELinuxOptions, windowsOptions WindowsSecurityContextOptions, runAsUser int64, runAsGroup int64, runAsNonRoot bool, readOnlyRootFilesystem bool, allowPrivilegeEscalation bool, procMount string, seccompProfile SeccompProfile, appArmorProfile AppArmorProfile
Service: kind string, apiVersion string, metadata ObjectMeta, spec ServiceSpec, status ServiceStatus
ServiceAccountTokenProjection: audience string, expirationSeconds int64, path string
ServiceBackendPort: name string, number int32
ServicePort: name string, protocol string, appProtocol string, port int32, targetPort int-or-string, nodePort int32
ServiceSpec: ports []ServicePort merge by port, selector {}string, clusterIP string, clusterIPs []string, type string, externalIPs []string, sessionAffinity string, loadBalancerIP string, loadBalancerSourceRanges []string, externalName string, externalTrafficPolicy string, healthCheckNodePort int32, publishNotReadyAddresses bool, sessionAffinityConfig SessionAffinityConfig, ipFamilies []string, ipFamilyPolicy string, allocateLoadBalancerNodePorts bool, loadBalancerClass string, internalTrafficPolicy string, trafficDistribution string
ServiceStatus: loadBalancer LoadBalancerStatus, conditions []Condition merge by type
SessionAffinityConfig: clientIP ClientIPConfig
SleepAction: seconds int64
StorageOSVolumeSource: volumeName string, volumeNamespace string, fsType string, readOnly bool, secretRef LocalObjectReference
Sysctl: name string, value string
TCPSocketAction: port int-or-string, host string
Toleration: key string, operator string, value string, effect string, tolerationSeconds int64
TopologySpreadConstraint: maxSkew int32, topologyKey string, whenUnsatisfiable string, labelSelector LabelSelector, minDomains int32, nodeAffinityPolicy string, nodeTaintsPolicy string, matchLabelKeys []string
TypedLocalObjectReference: apiGroup string, kind string, name string
TypedObjectReference: apiGroup string, kind string, name string, namespace string
Volume: name string, hostPath HostPathVolumeSource, emptyDir EmptyDirVolumeSource, gcePersistentDisk GCEPersistentDiskVolumeSource, awsElasticBlockStore AWSElasticBlockStoreVolumeSource, gitRepo GitRepoVolumeSource, secret SecretVolumeSource, nfs NFSVolumeSource, iscsi ISCSIVolumeSource, glusterfs GlusterfsVolumeSource, persistentVolumeClaim PersistentVolumeClaimVolumeSource, rbd RBDVolumeSource, flexVolume FlexVolumeSource, cinder CinderVolumeSource, cephfs CephFSVolumeSource, flocker FlockerVolumeSource, downwardAPI DownwardAPIVolumeSource, fc FCVolumeSource, azureFile AzureFileVolumeSource, configMap ConfigMapVolumeSource, vsphereVolume VsphereVirtualDiskVolumeSource, quobyte QuobyteVolumeSource, azureDisk AzureDiskVolumeSource, photonPersistentDisk PhotonPersistentDiskVolumeSource, projected ProjectedVolumeSource, portworxVolume PortworxVolumeSource, scaleIO ScaleIOVolumeSource, storageos StorageOSVolumeSource, csi CSIVolumeSource, ephemeral EphemeralVolumeSource, image ImageVolumeSource
VolumeDevice: name string, devicePath string
VolumeMount: name string, readOnly bool, recursiveReadOnly string, mountPath string, subPath string, mountPropagation string, subPathExpr string
VolumeProjection: secret SecretProjection, downwardAPI DownwardAPIProjection, configMap ConfigMapProjection, serviceAccountToken ServiceAccountTokenProjection, clusterTrustBundle ClusterTrustBundleProjection, podCertificate PodCertificateProjection
VolumeResourceRequirements: limits {}quantity, requests {}quantity
VsphereVirtualDiskVolumeSource: volumePath string, fsType string, storagePolicyName string, storagePolicyID string
WeightedPodAffinityTerm: weight int32, podAffinityTerm PodAffinityTerm
WindowsSecurityContextOptions: gmsaCredentialSpecName string, gmsaCredentialSpec string, runAsUserName string, hostProcess bool
WorkloadReference: name string, podGroup string, podGroupReplicaKey string
`;
