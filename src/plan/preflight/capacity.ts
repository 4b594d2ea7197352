import { type ClusterObservation, LIMITS, mostAmounts, totalAmounts } from '../../kernel/index.ts';
import { fits, shortageText } from './amounts.ts';
import type { PreflightCheck } from './check.ts';
import { accepts, type Room } from './nodes.ts';
import { type ServiceRequest, together } from './requests.ts';

/** Whether there is anywhere to place pods (facts 11.3). `undefined` cluster: nobody asked it. */
export function nodesCheck(cluster: ClusterObservation | undefined, rooms: readonly Room[]): PreflightCheck {
  const code = 'nodes';
  if (cluster === undefined || cluster.nodes.length === 0)
    return { code, status: 'unknown', message: 'the cluster shows no node, so nothing is known of its room' };
  return rooms.length === 0
    ? {
        code,
        status: 'blocked',
        message: `none of ${cluster.nodes.length} nodes takes pods: each is not ready, cordoned or tainted`,
      }
    : { code, status: 'passed', message: `${rooms.length} of ${cluster.nodes.length} nodes take pods` };
}

/** One pod of each service must fit on some node when nothing else is there (facts 11.3); one entry per service that does not. */
export function serviceChecks(requests: readonly ServiceRequest[], rooms: readonly Room[]): readonly PreflightCheck[] {
  const code = 'service_capacity';
  const blocked = requests.flatMap(({ name, service, pod }): readonly PreflightCheck[] => {
    const possible = rooms.filter(({ node }) => accepts(node, service)).map(({ node }) => node.allocatable);
    if (possible.some((room) => fits(pod, room))) return [];
    const at = `services.${name}`;
    if (possible.length === 0)
      return [{ code, status: 'blocked', at, message: 'no node takes it: its node, architecture or GPU is not there' }];
    const largest = possible.reduce(mostAmounts);
    return [{ code, status: 'blocked', at, message: `one pod fits on no node; ${shortageText(pod, largest)} at most` }];
  });
  return blocked.length > 0 ? blocked : [{ code, status: 'passed', message: 'each service fits on a node' }];
}

/** What is pinned to one node must fit into what is free there (facts 11.3). */
export function pinnedChecks(requests: readonly ServiceRequest[], rooms: readonly Room[]): readonly PreflightCheck[] {
  const code = 'node_capacity';
  const pinned = requests.filter(({ service }) => service.node_name !== '');
  const nodes = [...new Set(pinned.map(({ service }) => service.node_name))].sort();
  return nodes.flatMap((node): readonly PreflightCheck[] => {
    const room = rooms.find((one) => one.node.name === node);
    // Where nothing is placed at all is said by the services.
    if (room === undefined) return [];
    const here = pinned.filter(({ service }) => service.node_name === node);
    const at = `services.${here[0]?.name ?? ''}.node_name`;
    const wanted = together(here);
    return [
      fits(wanted, room.free)
        ? { code, status: 'passed', at, message: `what names this node fits there (services: ${here.length})` }
        : {
            code,
            status: 'blocked',
            at,
            message: `what names this node does not fit there; ${shortageText(wanted, room.free)}`,
          },
    ];
  });
}

/** All requests against all that is free; an aggregate, neither packed nor reserved (facts 11.3). */
export function resourcesCheck(requests: readonly ServiceRequest[], rooms: readonly Room[]): PreflightCheck {
  const wanted = together(requests);
  const free = totalAmounts(rooms.map((room) => room.free));
  const status = fits(wanted, free) ? 'passed' : 'blocked';
  return { code: 'resources', status, message: shortageText(wanted, free) };
}

const GIB = 1024 ** 3;

/** At least one node must have 2 GiB for pulling and unpacking images (facts 11.3). */
export function diskCheck(rooms: readonly Room[]): PreflightCheck {
  const code = 'disk';
  const known = rooms.flatMap(({ node }) => (node.freeDiskBytes === undefined ? [] : [node.freeDiskBytes]));
  if (known.some((bytes) => bytes >= LIMITS.diskBytes))
    return { code, status: 'passed', message: 'a node has disk space for images' };
  if (known.length < rooms.length)
    return { code, status: 'unknown', message: 'the free disk space of the nodes is not known' };
  const most = Math.max(...known);
  const [needed, there, short] = [LIMITS.diskBytes, most, LIMITS.diskBytes - most].map(
    (n) => `${(n / GIB).toFixed(1)}Gi`,
  );
  const message = `no node has disk space for images; requested ${needed}; available ${there} at most; shortage ${short}`;
  return { code, status: 'blocked', message };
}
