import { FORGES } from '../support/stories.ts';
import { describeFaults, FAULTS } from './fault-rows.ts';

for (const forge of FORGES) describeFaults(forge, FAULTS[forge].slice(1, -1));
