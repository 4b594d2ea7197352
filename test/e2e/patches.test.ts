import { describePatchPushes } from './patch-pushes.ts';

describePatchPushes('embedded');
