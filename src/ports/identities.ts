import type { Identity, Role } from './access-resources.ts';
import type { Collection } from './store.ts';

/** Who can hold keys. `name` is the identity's; `generation` the revision a change must name. */
export type IdentityCollection = Collection<Identity>;

/** Custom roles; the built-in ones are code. */
export type RoleCollection = Collection<Role>;
