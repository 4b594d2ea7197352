type Entry = {
  /** Who must act; see `Problem`. */
  readonly kind: 'rejected' | 'waiting' | 'transient';
  /** One line for the README's table, and the default message. */
  readonly meaning: string;
};

function rejected<const M extends string>(meaning: M): Entry {
  return { kind: 'rejected', meaning };
}
function waiting<const M extends string>(meaning: M): Entry {
  return { kind: 'waiting', meaning };
}
function transient<const M extends string>(meaning: M): Entry {
  return { kind: 'transient', meaning };
}

/** The catalogue of error codes. `test/kernel/codes.test.ts` proves that each is used and stands in the README's table. */
export const CODES = {
  // specification
  invalid_spec: rejected('the file is not a valid specification'),
  spec_too_large: rejected('the file is larger than 256 KiB'),
  unsupported_feature: rejected('the field is valid but this installation cannot run it'),
  env_file_missing: rejected('an env file the specification names does not exist'),
  // grant
  grant_refused: rejected('the deploy grant does not allow this change'),
  grant_expired: rejected('the deploy grant has expired; renew it with `hakopod sources grant renew`'),
  kubernetes_patch_refused: rejected('a Git source can not add or change Kubernetes patches'),
  invalid_patch: rejected('a Kubernetes patch can not be read or applied'),
  protected_field: rejected('a Kubernetes patch changes a field that Hakopod protects'),
  kubernetes_patches_disabled: rejected(
    'Kubernetes patches are turned off; an administrator can turn them on with `hakopod settings set kubernetes-patches`',
  ),
  application_mismatch: rejected('the name in the file is not the name of the bound application'),
  // plan and acceptance
  missing_secrets: rejected('secrets the file refers to do not exist'),
  domain_verification_required: rejected('custom domains need a grant that lists them'),
  domain_taken: rejected('the custom domain belongs to another application, or to the installation itself'),
  domain_not_verified: rejected('the TXT record that proves the ownership of the domain was not found'),
  dns_unavailable: transient('the name servers could not be reached'),
  invalid_certificate: rejected('the certificate or its private key can not be used'),
  certificate_missing: rejected('the service has no uploaded certificate of this name'),
  certificate_refused: rejected('the uploaded certificate can not serve the host names of the service'),
  certificate_in_use: rejected('a revision of the application uses the certificate'),
  app_domain_required: rejected(
    'public services need an application domain, which this installation has not configured',
  ),
  conflict: transient('something else changed the same object first'),
  superseded: rejected('a newer commit took the place of this one'),
  cancelled: rejected('somebody cancelled the release'),
  authority_revoked: rejected('the key or the identity the release was asked with may not do this any more'),
  terminal_operation: rejected('the release has ended already'),
  not_resumable: rejected('the release can not be resumed; deploy again'),
  queue_full: waiting('too many releases of this application are waiting'),
  too_many_plans: rejected('this repository has as many planned pull requests as are kept; close some and push again'),
  preview_limit: rejected('the project has as many preview environments as are allowed; one that goes makes room'),
  preview_leaving: waiting('a preview environment is still being removed'),
  preview_expired: rejected('the preview environment has reached its end; a new push brings it back'),
  invalid_service: rejected('a service to release is not in the specification, or named twice'),
  shared_configuration: rejected('releasing some services can not change what all of them share'),
  unresolved_base: rejected('the current revision has not resolved its images yet; release the whole application'),
  invalid_volume_cleanup: rejected('a volume to delete is not one that the release takes from its service'),
  has_source: rejected('a Git source feeds the application; remove the source first'),
  missing_context: rejected('a project and an environment must be named'),
  application_limit: rejected('the environment has as many applications as are allowed'),
  // git
  invalid_ref: rejected('the ref is not a valid full Git ref name'),
  invalid_path: rejected('the path is not a clean relative path inside the repository'),
  invalid_url: rejected('the repository URL can not be used'),
  ssh_unsupported: rejected('repositories are read over https; SSH URLs are not supported'),
  ref_settling: waiting('a delivery mentions a commit that the ref does not show yet'),
  ref_not_found: rejected('the ref does not exist in the repository'),
  repository_empty: rejected('the repository has no commits'),
  repository_not_found: rejected('the repository does not exist or the credentials do not open it'),
  git_unauthorized: rejected('the Git server refused the credentials'),
  commit_not_found: rejected('the commit does not exist in the repository'),
  file_not_found: rejected('the file does not exist at this commit'),
  not_a_file: rejected('the path is a directory at this commit'),
  symlink_refused: rejected('the path goes through a symbolic link, which is never followed'),
  submodule_refused: rejected('the path goes through a submodule, which is not supported'),
  lfs_pointer: rejected('the file is a Git LFS pointer; commit the file itself'),
  binary_file: rejected('the file is not UTF-8 text'),
  repository_too_large: rejected('the server has no partial clone and the repository is too large for a shallow one'),
  object_too_large: rejected('a Git object on the path is larger than the limit'),
  git_protocol: transient('the Git server answered something that is not valid Git'),
  git_unavailable: transient('the Git server could not be reached'),
  // images
  invalid_image: rejected('the image reference is not valid'),
  image_not_found: rejected('the registry does not have the image'),
  image_platform: rejected('the image does not support the platform of the nodes'),
  registry_forbidden: rejected('the registry resolves to a private address, which this installation does not allow'),
  registry_unauthorized: rejected('the registry refused the credentials'),
  registry_unavailable: transient('the registry could not be reached'),
  registry_credential_missing: rejected(
    'the environment has no registry credentials of this name for the registry of the image',
  ),
  // builds
  build_registry_required: rejected(
    'images built from the repository need a registry, which this installation has not configured',
  ),
  context_too_large: rejected('the build context is larger than the limit'),
  build_failed: rejected('an image did not build'),
  build_timeout: rejected('an image did not build before its deadline'),
  build_too_large: rejected('a build needed more disk than the limit'),
  build_unavailable: transient('no worker can build images now'),
  // cluster
  forbidden: rejected('the cluster does not permit this to Hakopod; a verb is missing in its role'),
  admission_denied: rejected('a policy of the cluster refused the object'),
  invalid_object: rejected('the cluster refused the object as invalid'),
  not_owned: rejected('an object of this name exists and does not belong to this application'),
  kind_change: rejected('a service can not become a job, or a job a service, in one release; remove it first'),
  volume_change: rejected('size, class and access mode of a volume that exists can not change; declare a new one'),
  cluster_unavailable: transient('the Kubernetes API could not be reached'),
  gone: transient('the watch is older than the history the cluster keeps'),
  lease_held: waiting('another worker carries out a release of this application'),
  worker_stopping: waiting('the worker is stopping; another one goes on'),
  lease_lost: transient('the lease of this application was lost to another worker'),
  identity_conflict: rejected('another installation uses the identity of this one'),
  rollout_failed: rejected('a service did not become ready'),
  rollout_timeout: rejected('a service did not become ready in time'),
  job_failed: rejected('a deployment job failed'),
  job_timeout: rejected('a deployment job did not finish in time'),
  dependency_failed: rejected('a service this one depends on did not become ready or complete'),
  cleanup_limit: rejected(
    'the cluster has more jobs or workloads with the labels of the application than can be its own',
  ),
  release_deadline: rejected('the release did not finish before its deadline'),
  delivery_unavailable: rejected('the cluster has no room for the application, or can not place it as it asks'),
  // cluster operations
  cluster_busy: waiting('another run of steps, or another command, is going on in the cluster'),
  run_in_progress: waiting('this very run is going on; `hakopod cluster run ID` follows it'),
  namespace_not_granted: rejected('this installation may not write or run commands in this namespace'),
  application_managed: rejected('an application owns this; change the application instead'),
  clock_skew: rejected('the request was issued at a time too far from the clock here'),
  pod_security: rejected('the namespace or the pod does not meet the Pod Security level baseline'),
  exec_unavailable: rejected('commands can not be run in containers: the client has no cluster configuration'),
  exec_refused: rejected('the command can not be run in this container'),
  exec_closed: rejected('the session is closed; how the process ended is not known'),
  exec_idle: rejected('the session had no input for too long'),
  exec_lifetime: rejected('the session reached its longest life'),
  exec_setup: transient('the session did not open in time'),
  unknown_container: rejected('the pod does not have this container, or has several and none was named'),
  pod_not_found: rejected('the pod does not exist'),
  logs_unavailable: transient('the log could not be read'),
  // forge
  check_failed: rejected('a check that the deploy policy requires failed or did not end in time'),
  approval_expired: rejected('nobody approved the plan in time'),
  forge_unauthorized: rejected('the forge refused the credentials'),
  oauth_grant_ended: rejected(
    'the OAuth grant of the repository has ended; authorise the application again and run `hakopod repos add` with the new refresh token',
  ),
  installation_suspended: rejected(
    'the GitHub App is suspended for the account of the repository; whoever suspended it can let it work again',
  ),
  installation_gone: rejected(
    'the GitHub App is not installed any more; install it and run `hakopod repos add` with the new installation',
  ),
  installation_repository: rejected(
    'the installation of the GitHub App does not include the repository; its owner can add it at GitHub',
  ),
  forge_not_found: rejected('the forge does not have the repository or the commit'),
  forge_rejected: rejected('the forge refused the request'),
  forge_rate_limited: waiting('the forge asks to wait'),
  forge_unavailable: transient('the forge could not be reached'),
  public_url_missing: rejected('webhooks need the public URL of this installation, which is not configured'),
  // people, configuration and queues
  permission_denied: rejected('the key or the identity may not do this; the API answers `forbidden`'),
  invalid_request: rejected('the request is not valid'),
  invalid_config: rejected('the configuration is not valid'),
  not_found: rejected('there is no such object'),
  already_exists: rejected('an object of this name exists'),
  invalid_secret: rejected('the secret value is not valid'),
  secret_limit: rejected('an application has at most 100 secrets'),
  secret_exists: rejected('a secret of this name exists; replace it instead'),
  unauthorized: rejected('there is no valid key in the request'),
  project_exists: rejected('a project of this name exists'),
  environment_limit: rejected('the project has as many environments as are allowed'),
  limit_reached: rejected('there are as many of these as are kept'),
  not_empty: rejected('there is something in it still'),
  api_unavailable: transient('the API could not be reached'),
  queue_unavailable: transient('Redis could not be reached'),
  // the API
  busy: waiting('too many requests are being answered'),
  rate_limit: waiting('too many requests from this address'),
  stream_limit: waiting('too many streams are open'),
  body_limit: rejected('the body is larger than the limit'),
  method_not_allowed: rejected('the method does not exist here'),
  unsupported_media_type: rejected('the body must be application/json'),
} as const satisfies Record<string, Entry>;

/** A code of the catalogue. */
export type Code = keyof typeof CODES;
