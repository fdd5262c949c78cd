import { apiVersion, localServiceName } from '../../contract/contract.ts';
import { contentFeature } from '../../core/util/fileContent.ts';
import { folderFeature } from '../../core/util/folderName.ts';
import { thenFeature } from '../../core/util/followUp.ts';
import type { ServedDatabases } from '../catalog/servedDatabases.ts';
import type { ClusterChoice } from '../cluster/cluster.ts';
import type { ContentReader } from '../content/contentReader.ts';
import type { Health } from '../health.ts';
import { HttpProblem } from '../http/httpProblem.ts';
import { describeRoute, type DescribedRoute } from '../http/router.ts';
import type { Leases } from '../leases.ts';
import { buildOpenApiDocument } from '../openApi.ts';
import type { FollowUps } from '../transfers/followUps.ts';
import type { TransferQueue } from '../transfers/transferQueue.ts';
import { serviceVersion } from '../version.ts';
import { leaseSchema, responseSchemas, stopQuerySchema, type ServiceState } from '../wire/apiSchemas.ts';
import { createContentRoute } from './contentRoute.ts';
import { createDatabaseRoutes } from './databaseRoutes.ts';
import { createTransferRoutes } from './transferRoutes.ts';

/** The parts of a service behind its routes. */
interface RoutedService {
  readonly databases: ServedDatabases;
  readonly queue: TransferQueue;
  readonly contentReader: ContentReader;
  readonly followUps: FollowUps;
  readonly health: Health;
  readonly leases: Leases;
  readonly cluster: ClusterChoice;
  /** The token for leases and stop requests; absent if the service isn't shared. */
  readonly sharingToken: string | undefined;
  getState(): ServiceState;
  /**
   * Stops the service. Resolves when all resources are released or, if a disk hangs, after a few seconds (D42: hanging
   * disks). The last responses may still be in transit.
   */
  stop(isReplaced: boolean): Promise<void>;
}

/** Creates all routes (§4; D26: service HTTP behavior, D29: shared service, D40: administered service). */
export function createServiceRoutes(service: RoutedService): DescribedRoute[] {
  const apiBase = `/api/v${apiVersion}`;
  const routes: DescribedRoute[] = [
    ...createStateRoutes(service),
    ...createDatabaseRoutes(apiBase, service.databases, service.cluster),
    createContentRoute(service.databases, service.contentReader),
    ...createTransferRoutes(apiBase, service.queue),
    ...(service.sharingToken === undefined ? [] : createSharingRoutes(service)),
  ];
  let document: unknown;
  const openApiRoute = describeRoute({
    method: 'GET',
    path: '/openapi.json',
    isOpen: true,
    handle: () => ({ status: 200, body: (document ??= buildOpenApiDocument(routes)) }),
    operationId: 'getOpenApi',
    tag: 'service',
    summary: 'This document',
    description: 'Describes every operation. Requires no token.',
    success: { status: 200, description: 'The document.', schema: responseSchemas.OpenApiDocument },
  });
  routes.push(openApiRoute);
  return routes;
}

/** Creates the routes for name, process and readiness (D40: administered service). */
function createStateRoutes(service: RoutedService): DescribedRoute[] {
  const root = describeRoute({
    method: 'GET',
    path: '/',
    handle: () => ({
      status: 200,
      body: {
        name: localServiceName,
        version: serviceVersion,
        features: [folderFeature, contentFeature, ...(service.followUps.isAllowed ? [thenFeature] : [])],
      },
    }),
    operationId: 'getRoot',
    tag: 'service',
    summary: 'Name and version of the service',
    description: 'Can be used to check whether the token is accepted.',
    success: { status: 200, description: 'Name and version.', schema: responseSchemas.Root },
  });
  const state = describeRoute({
    method: 'GET',
    path: '/service',
    handle: () => ({ status: 200, body: service.getState() }),
    operationId: 'getService',
    tag: 'service',
    summary: 'Process and usage of the service',
    description: 'Lets windows that share the service verify its identity.',
    success: { status: 200, description: 'The state of the service.', schema: responseSchemas.ServiceState },
  });
  const health = describeRoute({
    method: 'GET',
    path: '/health',
    isOpen: true,
    handle: async () => {
      const problems = await service.health.findProblems();
      if (problems.length > 0) throw new HttpProblem(503, problems.join(' '));
      return { status: 200, body: { status: 'ready' } };
    },
    operationId: 'getHealth',
    tag: 'service',
    summary: 'Readiness of the service',
    description:
      'Requires no token. Ready means that every database can be searched and transfers can be stored. Otherwise the problem gives the reason, without names, which are in the log.',
    success: { status: 200, description: 'The service is ready.', schema: responseSchemas.Health },
    problems: { 503: 'The service is not ready; the detail gives the reason.' },
  });
  return [root, state, health];
}

/** Creates the routes for leases and shutdown (D29: shared service, D41: two secrets). */
function createSharingRoutes(service: RoutedService): DescribedRoute[] {
  const lease = describeRoute({
    method: 'POST',
    path: '/leases',
    needsSharingToken: true,
    body: leaseSchema,
    handle: async ({ body }) => await service.leases.open(body),
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
  const stop = describeRoute({
    method: 'DELETE',
    path: '/service',
    needsSharingToken: true,
    query: stopQuerySchema,
    handle: async ({ query }) => {
      await service.stop(query.replaced === 'true');
      return { status: 204 };
    },
    operationId: 'stopService',
    tag: 'service',
    summary: 'Stop the service cleanly',
    description:
      'Responds when all resources are released, or if a disk hangs. All leases end; transfers resume at the next start.',
    success: { status: 204, description: 'The service has stopped.' },
  });
  return [lease, stop];
}
