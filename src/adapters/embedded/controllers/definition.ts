import { seconds } from '../ids.ts';
import { at, record, records } from '../objects.ts';
import { builtIn } from '../resources.ts';
import type { Controller, ControllerContext } from './manager.ts';
import { conditionOf, living, writeStatus } from './owned.ts';

const DEFINITIONS = builtIn('customresourcedefinitions');

function reconcile({ machine }: ControllerContext, uid: string): void {
  const definition = living(machine, DEFINITIONS, uid);
  if (definition === undefined || conditionOf(definition, 'Established') !== undefined) return;
  const lastTransitionTime = seconds(machine.now());
  const stored = records(at(definition, 'spec', 'versions')).filter((version) => version.storage === true);
  writeStatus(machine, DEFINITIONS, definition, {
    acceptedNames: record(at(definition, 'spec', 'names')),
    conditions: [
      {
        type: 'NamesAccepted',
        status: 'True',
        reason: 'NoConflicts',
        message: 'no conflicts found',
        lastTransitionTime,
      },
      { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'accepted', lastTransitionTime },
    ],
    storedVersions: stored.map((version) => version.name),
  });
}

/** Reports a CustomResourceDefinition as established; its resource is served from the moment it is stored. */
export const DEFINITION_CONTROLLER: Controller = {
  name: 'definition',
  wakes: (change) => (change.info.storage === DEFINITIONS.storage ? [change.object.metadata.uid ?? ''] : []),
  reconcile,
};
