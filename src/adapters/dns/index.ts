/**
 * The public DNS over Node's own resolver, for the challenges of custom domains: a name in, its TXT records out. It asks the name servers it
 * is given and no others, follows no search list, and never waits longer than its deadline.
 */
export { createTxtResolver, type TxtResolverOptions } from './txt-resolver.ts';
