/**
 * The HTTP API below `/api/v1`, its OpenAPI document and the pages that need no scripts. In: requests, of the listener or of this process.
 * Out: calls of operations, and their answers as JSON. Routes are data (`routes/`); limits, keys, validation and errors are the same for
 * all. It decides nothing about what a request does, and knows no store.
 */
export { type Api, createApi } from './api.ts';
export { type Document, type DocumentOperation, openApiDocument } from './document.ts';
export { API_LIMITS, type ApiLimits, type ApiOptions } from './options.ts';
export type { ApiRoute } from './route.ts';
export { LOGS_ROUTE } from './routes/cluster.ts';
export { EVENTS_ROUTE } from './routes/events.ts';
export { ROUTES } from './routes/index.ts';
