import { apiVersion, localServiceName } from '../contract/contract.ts';
import type { ServedDatabases } from './catalog/servedDatabases.ts';
import { createHealthRoute, type Health } from './health.ts';
import { describeRoute, type DescribedRoute } from './http/router.ts';
import { buildOpenApiDocument } from './openApi.ts';
import { createDatabaseRoutes, createFileRoutes } from './routes/databaseRoutes.ts';
import { createSharingRoutes, type SharingOperations } from './routes/sharingRoutes.ts';
import { createTransferRoutes } from './routes/transferRoutes.ts';
import type { TransferQueue } from './transfers/transferQueue.ts';
import { serviceVersion } from './version.ts';
import { responseSchemas } from './wire/responseSchemas.ts';

interface RouteDependencies {
  readonly databases: ServedDatabases;
  readonly queue: TransferQueue;
  readonly sharing: SharingOperations;
  readonly health: Health;
}

/**
 * Creates the routes for all operations (§4; D26: service HTTP behavior, D29: shared service, D40: administered
 * service).
 */
export function createServiceRoutes({ databases, queue, sharing, health }: RouteDependencies): DescribedRoute[] {
  const apiBase = `/api/v${apiVersion}`;
  const routes: DescribedRoute[] = [
    createRootRoute(),
    ...createDatabaseRoutes(apiBase, databases),
    ...createFileRoutes(apiBase, databases),
    ...createTransferRoutes(apiBase, queue),
    ...createSharingRoutes(sharing),
    createHealthRoute(health),
  ];
  routes.push(createOpenApiRoute(routes));
  return routes;
}

function createOpenApiRoute(routes: readonly DescribedRoute[]): DescribedRoute {
  let document: unknown;
  return describeRoute({
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
}

function createRootRoute(): DescribedRoute {
  return describeRoute({
    method: 'GET',
    path: '/',
    handle: () => ({ status: 200, body: { name: localServiceName, version: serviceVersion } }),
    operationId: 'getRoot',
    tag: 'service',
    summary: 'Name and version of the service',
    description: 'Can be used to check whether the token is accepted.',
    success: { status: 200, description: 'Name and version.', schema: responseSchemas.Root },
  });
}
