/**
 * Applications over the API: lists and details for whoever may read them, and the request to remove one. Takes a principal and a request;
 * a worker takes down what is removed.
 */
export { findApplication } from './find.ts';
export { applicationOperations } from './operations.ts';
