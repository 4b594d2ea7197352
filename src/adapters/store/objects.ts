import { fail, MANAGED_BY, type Manifest, type ObjectRef, ok, problem, type Result } from '../../kernel/index.ts';
import { type Cluster, GROUP_VERSION, type NewResource, type Resource } from '../../ports/index.ts';
import type { KindCodec } from './decode.ts';

type AnyResource = Resource<unknown, unknown>;
/** What an `update` may change; each part is replaced as a whole. */
export type Update<R extends AnyResource> = {
  readonly spec?: R['spec'];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
};
/** What may be written as the next status, or why not. */
export type StatusGuard<R extends AnyResource> = (current: R, next: R['status']) => Result<R['status']>;

/** Reads and compare-and-set writes of one kind, straight to the API server. */
export type Objects<R extends AnyResource> = {
  get(name: string): Promise<Result<R | undefined>>;
  create(resource: NewResource<R>): Promise<Result<R>>;
  updateStatus(name: string, change: (current: R) => R['status'] | undefined): Promise<Result<R>>;
  update(name: string, change: (current: R) => Update<R> | undefined): Promise<Result<R>>;
  delete(name: string, uid: string): Promise<Result<void>>;
};

export type ObjectsOptions<R extends AnyResource> = {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly codec: KindCodec<R>;
  readonly guard?: StatusGuard<R>;
};

/** A fresh read each; ten lost races in a row mean something else is wrong. */
const TRIES = 10;

/** Objects of one kind in one namespace. */
export function objectsOf<R extends AnyResource>(options: ObjectsOptions<R>): Objects<R> {
  const { cluster, codec, namespace } = options;
  const guard: StatusGuard<R> = options.guard ?? ((_, next) => ok(next));
  const ref = (name: string): ObjectRef => ({ apiVersion: GROUP_VERSION, kind: codec.kind, namespace, name });
  return {
    get: async (name) => {
      const read = await cluster.get(ref(name));
      if (!read.ok) return read;
      return read.value === undefined ? ok(undefined) : codec.decode(read.value);
    },
    create: async (resource) => decoded(codec, await cluster.create(newManifest(ref(resource.name), resource))),
    updateStatus: (name, change) =>
      compareAndSet(options, ref(name), (object, current) => {
        const next = change(current);
        if (next === undefined) return ok(undefined);
        const allowed = guard(current, next);
        return allowed.ok ? ok({ manifest: { ...object, status: allowed.value }, subresource: 'status' }) : allowed;
      }),
    update: (name, change) =>
      compareAndSet(options, ref(name), (object, current) => {
        const next = change(current);
        return ok(next === undefined ? undefined : { manifest: changed(object, next) });
      }),
    delete: (name, uid) => cluster.delete(ref(name), { uid, propagation: 'Background' }),
  };
}

type Write = { readonly manifest: Manifest; readonly subresource?: 'status' };

async function compareAndSet<R extends AnyResource>(
  { cluster, codec }: ObjectsOptions<R>,
  ref: ObjectRef,
  decide: (object: Manifest, current: R) => Result<Write | undefined>,
): Promise<Result<R>> {
  for (let attempt = 1; ; attempt += 1) {
    const read = await cluster.get(ref);
    if (!read.ok) return read;
    if (read.value === undefined) return fail(problem('not_found'));
    const current = codec.decode(read.value);
    if (!current.ok) return current;
    const write = decide(read.value, current.value);
    if (!write.ok) return write;
    if (write.value === undefined) return current;
    const written = await cluster.replace(write.value.manifest, write.value.subresource);
    if (written.ok || written.problem.code !== 'conflict' || attempt === TRIES) return decoded(codec, written);
  }
}

function decoded<R>(codec: KindCodec<R>, written: Result<Manifest>): Result<R> {
  return written.ok ? codec.decode(written.value) : written;
}

function newManifest<R extends AnyResource>(ref: ObjectRef, resource: NewResource<R>): Manifest {
  const { apiVersion, kind, ...place } = ref;
  const { annotations, finalizers } = resource;
  const metadata = {
    ...place,
    labels: MANAGED_BY,
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined ? {} : { finalizers }),
  };
  return { apiVersion, kind, metadata, spec: resource.spec };
}

function changed<R extends AnyResource>(object: Manifest, update: Update<R>): Manifest {
  const { annotations, finalizers, spec } = update;
  const metadata = {
    ...object.metadata,
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined ? {} : { finalizers }),
  };
  return { ...object, metadata, ...(spec === undefined ? {} : { spec }) };
}
