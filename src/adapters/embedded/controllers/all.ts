import { CLAIM_CONTROLLER } from './claim.ts';
import { DEFINITION_CONTROLLER } from './definition.ts';
import { DEPLOYMENT_CONTROLLER } from './deployment.ts';
import { GARBAGE_CONTROLLER } from './garbage.ts';
import { JOB_CONTROLLER } from './job.ts';
import type { Controller } from './manager.ts';
import { NAMESPACE_CONTROLLER } from './namespace.ts';
import { POD_CONTROLLER } from './pod.ts';
import { REPLICA_SET_CONTROLLER } from './replica-set.ts';

/** All of them. */
export const CONTROLLERS: readonly Controller[] = [
  GARBAGE_CONTROLLER,
  NAMESPACE_CONTROLLER,
  DEFINITION_CONTROLLER,
  DEPLOYMENT_CONTROLLER,
  REPLICA_SET_CONTROLLER,
  POD_CONTROLLER,
  JOB_CONTROLLER,
  CLAIM_CONTROLLER,
];
