import { defaultGrant, type GrantQuestion } from '../../src/grant/index.ts';
import type { DeployGrant } from '../../src/kernel/index.ts';
import { application } from '../spec/support.ts';

const NOW = new Date('2026-11-29T12:00:00Z');
const KEY = { project: 'acme', environment: 'production', name: 'shop' };
const REF = 'refs/heads/main';
const PATH = 'shop/hakopod.toml';

export const SHOP = 'name = "shop"\n[services.web]\nimage = "nginx"\n';

type Overrides = {
  readonly grant?: Partial<DeployGrant>;
  readonly request?: Partial<GrantQuestion['request']>;
  readonly file?: string;
  readonly previous?: string;
};

/** A question the default grant answers with yes, but for the overrides. */
export function question({ grant, request, file = SHOP, previous }: Overrides = {}): GrantQuestion {
  const base = defaultGrant({ ref: REF, path: PATH, application: KEY, owner: 'ada', now: NOW });
  return {
    grant: { ...base, ...grant },
    request: { ref: REF, path: PATH, application: KEY, now: NOW, trigger: 'push', fork: false, ...request },
    application: application(file),
    previous: previous === undefined ? undefined : application(previous),
  };
}
