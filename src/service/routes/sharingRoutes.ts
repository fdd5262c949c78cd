import { describeRoute, type DescribedRoute } from '../http/router.ts';
import type { Leases } from '../leases.ts';
import { leaseSchema, stopQuerySchema } from '../wire/requestSchemas.ts';
import { responseSchemas, type ServiceState } from '../wire/responseSchemas.ts';

/** The operations of the service behind the routes for leases and stop. */
export interface SharingOperations {
  readonly isShared: boolean;
  readonly leases: Leases;
  getState(): ServiceState;
  /**
   * Stops the service. Resolves when all resources are released or, if a disk hangs, after a few seconds (D42: hanging
   * disks). The last responses may still be in transit.
   */
  stop(isReplaced: boolean): Promise<void>;
}

/**
 * Creates the routes for sharing a service: its state and, if it is shared, leases and shutdown (D29: shared service,
 * D41: two secrets).
 */
export function createSharingRoutes(sharing: SharingOperations): DescribedRoute[] {
  return [
    createStateRoute(sharing),
    ...(sharing.isShared ? [createLeaseRoute(sharing), createStopRoute(sharing)] : []),
  ];
}

function createLeaseRoute({ leases }: SharingOperations): DescribedRoute {
  return describeRoute({
    method: 'POST',
    path: '/leases',
    needsSharingToken: true,
    body: leaseSchema,
    handle: async ({ body }) => await leases.open(body),
    operationId: 'beginLease',
    tag: 'service',
    summary: 'Serve folders and stores while the connection is open',
    description:
      'The response stays open and sends one JSON value per line: first the databases of this lease, then changes. The lease ends with the connection.',
    success: {
      status: 200,
      description: 'The databases are served.',
      schema: responseSchemas.LeaseLine,
      mediaType: 'application/x-ndjson',
    },
    example: { databases: [{ name: 'Lab Share', folder: '/data/lab', organization: 'Our Lab' }] },
    problems: { 500: 'The names of the databases could not be saved.' },
  });
}

function createStateRoute(sharing: SharingOperations): DescribedRoute {
  return describeRoute({
    method: 'GET',
    path: '/service',
    handle: () => ({ status: 200, body: sharing.getState() }),
    operationId: 'getService',
    tag: 'service',
    summary: 'Process and usage of the service',
    description: 'Lets windows that share the service verify its identity.',
    success: { status: 200, description: 'The state of the service.', schema: responseSchemas.ServiceState },
  });
}

function createStopRoute(sharing: SharingOperations): DescribedRoute {
  return describeRoute({
    method: 'DELETE',
    path: '/service',
    needsSharingToken: true,
    query: stopQuerySchema,
    handle: async ({ query }) => {
      await sharing.stop(query.replaced === 'true');
      return { status: 204 };
    },
    operationId: 'stopService',
    tag: 'service',
    summary: 'Stop the service cleanly',
    description:
      'Responds when all resources are released, or if a disk hangs. All leases end; transfers resume at the next start.',
    success: { status: 204, description: 'The service has stopped.' },
  });
}
