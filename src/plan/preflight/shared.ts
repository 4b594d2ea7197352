import { type Amounts, minusAmounts, totalAmounts } from '../../kernel/index.ts';
import { type Application, sharedGroups, storageGroupName } from '../../spec/index.ts';
import { fits, shortageText } from './amounts.ts';
import type { PreflightCheck } from './check.ts';
import { attachAll, type ClaimsOf, claimsOfService } from './claims.ts';
import { accepts, type Room } from './nodes.ts';
import { type ServiceRequest, together } from './requests.ts';

/** Where groups of services that share storage are to run: group to node names. A group that may run anywhere is not in it. */
export type Placement = Readonly<Record<string, readonly string[]>>;

type Subject = {
  readonly application: Application;
  readonly requests: readonly ServiceRequest[];
  readonly rooms: readonly Room[];
  readonly claims: ClaimsOf;
  readonly before: Before;
};

/** The groups of the last release that was carried out, and where those of them were placed that were placed anywhere. */
export type Before = { readonly groups: readonly string[]; readonly placement: Placement };

/**
 * Services that share a ReadWriteOnce volume run on one node (facts 1.10): all of them must fit together on one where the volumes they have
 * can be used, after what is pinned there by others (facts 11.3).
 */
export function sharedVolumes(subject: Subject): {
  readonly checks: readonly PreflightCheck[];
  readonly placement: Placement;
} {
  const groups = sharedGroups(subject.application).map((members) => placeGroup(subject, members));
  const placed = groups.flatMap(({ name, nodes }) => (nodes === undefined ? [] : [[name, nodes] as const]));
  return { checks: groups.map(({ check }) => check), placement: Object.fromEntries(placed) };
}

type Placed = { readonly name: string; readonly check: PreflightCheck; readonly nodes?: readonly string[] };

function placeGroup({ application, requests, rooms, claims, before }: Subject, members: readonly string[]): Placed {
  const name = storageGroupName(application, members) ?? '';
  const group = requests.filter((one) => members.includes(one.name));
  const wanted = totalAmounts(group.map(({ all }) => all));
  const existing = members.flatMap((member) => claimsOfService(application, member, claims));
  const possible = rooms.filter(({ node }) => group.every(({ service }) => accepts(node, service)));
  const left = possible
    .filter(({ node }) => attachAll(node, existing))
    .map(({ node, free }) => ({ node, free: minusAmounts(free, pinnedBeside(requests, members, node.name)) }));
  const fitting = left.filter(({ free }) => fits(wanted, free)).map(({ node }) => node.name);
  const base = { code: 'shared_volume_capacity', at: `volumes.${name}` } as const;
  const services = `the ${members.length} services that share it`;
  if (fitting.length > 0) {
    const isFree = fitting.length === possible.length;
    const check = { ...base, status: 'passed', message: `${services} fit together on a node` } as const;
    return { name, check, ...nodesFor({ name, fitting, isFree, before }) };
  }
  const roomiest = left.map(({ free }) => free).sort((a, b) => covered(wanted, b) - covered(wanted, a))[0];
  const message =
    roomiest === undefined
      ? `no node takes ${services} together with the volumes they have`
      : `${services} do not fit together on one node; where most is free: ${shortageText(wanted, roomiest)}`;
  return { name, check: { ...base, status: 'blocked', message } };
}

/**
 * As before while that fits, and nowhere in particular where every node will do. A group that was carried out without a place keeps running
 * where it is: giving it one would restart its pods.
 */
function nodesFor(input: {
  readonly name: string;
  readonly fitting: readonly string[];
  readonly isFree: boolean;
  readonly before: Before;
}): { readonly nodes?: readonly string[] } {
  const { name, fitting, isFree, before } = input;
  const last = before.placement[name] ?? [];
  if (last.length > 0 && last.every((node) => fitting.includes(node))) return { nodes: last };
  const runsAnywhere = last.length === 0 && before.groups.includes(name);
  return isFree || runsAnywhere ? {} : { nodes: fitting };
}

/** How much of what is wanted there is room for, from nothing (0) on. */
function covered(wanted: Amounts, room: Amounts): number {
  const pairs = [
    [wanted.cpuMillis, room.cpuMillis],
    [wanted.memoryBytes, room.memoryBytes],
    [wanted.gpus, room.gpus],
  ] as const;
  return Math.min(...pairs.map(([needed, there]) => (needed === 0 ? 1 : there / needed)));
}

function pinnedBeside(requests: readonly ServiceRequest[], members: readonly string[], node: string): Amounts {
  return together(requests.filter(({ name, service }) => service.node_name === node && !members.includes(name)));
}
