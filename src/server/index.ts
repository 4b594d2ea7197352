/**
 * The HTTP side: the webhook receiver, health, readiness and metrics, on plain `node:http` because the receiver's speed is a promise. In: requests of
 * forges, orchestrators and Prometheus. Out: queued hints and answers. It never calls Git, a forge or Kubernetes: what a request
 * needs comes from caches and Redis.
 */
export { createHttpServer, type Handle, type HttpServer, type ReadinessCheck } from './http.ts';
export { createMetrics, type MetricsRegistry } from './metrics.ts';
export { createReceiver, type ReceiverOptions } from './receiver.ts';
