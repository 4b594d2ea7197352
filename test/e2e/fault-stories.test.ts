import { FORGES } from '../support/stories.ts';
import { describeFaults, FAULTS } from './fault-rows.ts';

// The first limit of each forge, and what is lost after it was written; `fault-stories.slow.test.ts` has the others.
for (const forge of FORGES) {
  const all = FAULTS[forge];
  describeFaults(forge, [...all.slice(0, 1), ...all.slice(-1)]);
}
