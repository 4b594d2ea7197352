/** `$patch: replace` or `$patch: delete`, in an object or an element of a list. */
export const PATCH = '$patch';
/** The keys of an object that stay; all others go. */
export const RETAIN_KEYS = '$retainKeys';
/** `$setElementOrder/env`: the order of a merged list. */
export const SET_ORDER = '$setElementOrder/';
/** `$deleteFromPrimitiveList/args`: scalars to take out of a list. */
export const DELETE_FROM = '$deleteFromPrimitiveList/';
