/**
 * The deploy grant: may this source (ref, file, application, kind of event) make this application so? Takes the grant, the request with
 * its time, the desired application and the current one; gives a `Granted` application, which is all a plan can be made from, or the first
 * refusal. Never looks anything up and never widens what the grant says.
 */
export type { GrantQuestion, GrantRequest } from './checks.ts';
export { defaultGrant } from './default-grant.ts';
export { evaluateGrant, type Granted } from './evaluate.ts';
export { matchesAny, matchesGlob } from './glob.ts';
