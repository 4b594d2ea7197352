import type { Finding } from './path.ts';

/** What the schema refused of a file, so that checks which read it are left out. */
export class Known {
  readonly #roots: ReadonlySet<string>;
  readonly #services: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #whole: ReadonlySet<string>;

  constructor(refused: readonly Finding[]) {
    const roots = new Set<string>();
    const whole = new Set<string>();
    const services = new Map<string, Set<string>>();
    for (const { path } of refused) {
      const [root, service, field] = path.map(String);
      if (root !== 'services' || service === undefined) roots.add(root ?? '');
      else if (field === undefined) whole.add(service);
      else services.set(service, (services.get(service) ?? new Set()).add(field));
    }
    this.#roots = roots;
    this.#whole = whole;
    this.#services = services;
  }

  /** Whether nothing of a field of the application was refused; of `services`, the map itself. */
  root(...fields: readonly string[]): boolean {
    return !fields.some((field) => this.#roots.has(field));
  }

  /** Whether a service was not refused as a whole: by its name, or because it is no table. */
  service(name: string): boolean {
    return !this.#whole.has(name);
  }

  /** The refused fields of a service. */
  refused(name: string): ReadonlySet<string> {
    return this.#services.get(name) ?? NONE;
  }

  /** Whether a service is there and none of these fields of it was refused. */
  fields(name: string, fields: readonly string[]): boolean {
    const refused = this.#services.get(name);
    return this.service(name) && (refused === undefined || !fields.some((field) => refused.has(field)));
  }
}

const NONE: ReadonlySet<string> = new Set();
