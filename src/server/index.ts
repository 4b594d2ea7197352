/**
 * The HTTP side: the webhook receiver, health, readiness and metrics, on plain `node:http` because the receiver's speed is a promise, and the API
 * of people and programs (`api/`). In: requests of forges, orchestrators, Prometheus, people and programs. Out: queued hints, calls of
 * operations, and answers. The receiver never calls Git, a forge or Kubernetes: what a delivery needs comes from caches and Redis.
 */

export { errorAnswer } from './answer.ts';
export { API_LIMITS, type Api, type ApiLimits, type ApiOptions, createApi } from './api/index.ts';
export { refuse } from './body.ts';
export { createHttpServer, type Handle, type HttpServer, type ReadinessCheck } from './http.ts';
export { createMetrics, type MetricsRegistry } from './metrics.ts';
export { createReceiver, type ReceiverOptions } from './receiver.ts';
