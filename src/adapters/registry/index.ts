/**
 * Turns image tags into digests by asking their registry (OCI distribution, facts 3.8). Input: an image reference from a
 * specification. Output: `registry/repository@sha256:...` and the name of the credentials that opened it. Never pulls a layer, never connects to a private address unless that
 * registry is allowed as local, never sends credentials to another host than the registry or the token server it may name.
 */
export { type ImageReference, parseReference } from './reference.ts';
export { createImageResolver, type ImageResolverOptions } from './resolver.ts';
