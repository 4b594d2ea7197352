/**
 * The file an administrator applies to let Hakopod operate a cluster. In: a name, an image, a link and namespaces. Out: YAML text. It grants no
 * wildcard, no watch and no listing of Secrets, and calls nothing.
 */
export {
  type EnrolmentInput,
  manifestFileName,
  type PermissionsInput,
  renderEnrolment,
  renderPermissions,
} from './render.ts';
export { IDENTITY_SECRET } from './rules.ts';
