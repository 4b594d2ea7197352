import type { Service } from '../spec/index.ts';

const SECONDS = { periodSeconds: 3, timeoutSeconds: 2, failureThreshold: 3 } as const;

/**
 * Readiness by HTTP, by the port the `readiness` table names or by the primary one; startup by TCP always (facts 3.3). Empty for what
 * listens on nothing. No liveness probe ever: a slow dependency must not restart what works.
 */
export function renderProbes(service: Service, timeoutSeconds: number): Record<string, unknown> {
  const { readiness, healthcheck } = service;
  const port = service.port === 0 ? readiness?.port : service.port;
  if (port === undefined) return {};
  const check =
    healthcheck === ''
      ? { tcpSocket: { port: readiness?.port ?? port } }
      : { httpGet: { path: healthcheck, port, scheme: 'HTTP' } };
  const times =
    readiness === undefined
      ? SECONDS
      : {
          periodSeconds: readiness.period_seconds,
          timeoutSeconds: readiness.timeout_seconds,
          failureThreshold: readiness.failure_threshold,
        };
  return {
    readinessProbe: { ...check, ...times, successThreshold: 1 },
    startupProbe: {
      tcpSocket: { port },
      periodSeconds: 2,
      timeoutSeconds: 2,
      failureThreshold: Math.ceil(timeoutSeconds / 2),
      successThreshold: 1,
    },
  };
}
