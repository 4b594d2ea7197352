import { z } from 'zod';
import { DeploymentParams } from '../../../ports/api/index.ts';
import type { ApiRoute } from '../route.ts';
import { targetOfId } from '../target.ts';
import { RELEASE } from './examples.ts';

/** The stream of a release's events (facts 7.4): declared like every route, answered by the stream itself. */
export const EVENTS_ROUTE: ApiRoute = {
  method: 'get',
  path: '/deployments/{id}/events',
  id: 'followDeployment',
  tag: 'releases',
  summary:
    'Events of a release as server-sent events named `deployment`, up to its end or for 10 minutes; 204 when a resumed stream has no more',
  needs: { all: ['deployments:read'] },
  target: ({ id }) => targetOfId(String(id)),
  params: DeploymentParams,
  headers: {
    'Last-Event-ID': z.string().max(64).optional().meta({ description: 'go on after this event' }),
  },
  keyed: false,
  status: 200,
  answer: z.string(),
  types: ['text/event-stream'],
  example: { params: { id: RELEASE } },
  operation: (operations) => operations.deployments.show as never,
};
