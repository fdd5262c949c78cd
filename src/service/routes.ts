import { localServiceName } from '../contract/root.ts';
import { apiVersion } from '../contract/apiVersion.ts';
import type { ServedDatabases } from './catalog/databases.ts';
import type { Health } from './health.ts';
import { describedRoute, type DescribedRoute } from './http/describedRoute.ts';
import { openApiDocument } from './openApi.ts';
import { databaseRoutes } from './routes/databaseRoutes.ts';
import { fileRoutes } from './routes/fileRoutes.ts';
import { healthRoute } from './routes/healthRoute.ts';
import { sharingRoutes, type Sharing } from './routes/sharingRoutes.ts';
import { transferRoutes } from './routes/transferRoutes.ts';
import type { TransferQueue } from './transfers/transferQueue.ts';
import { serviceVersion } from './version.ts';
import { answerSchemas } from './wire/schemas.ts';

/** Dependencies of the operations. */
interface RouteParts {
  readonly databases: ServedDatabases;
  readonly queue: TransferQueue;
  readonly sharing: Sharing;
  readonly health: Health;
}

/** Every operation of the service: those of §4, and the few of D26, D29 and D40. */
export function serviceRoutes({ databases, queue, sharing, health }: RouteParts): DescribedRoute[] {
  const apiBase = `/api/v${apiVersion}`;
  const routes: DescribedRoute[] = [
    describedRoute({
      method: 'GET',
      path: '/',
      handle: () => ({ status: 200, body: { name: localServiceName, version: serviceVersion } }),
      description: {
        operationId: 'getRoot',
        tag: 'service',
        summary: 'Name and version of the service',
        description: 'Answers with the token alone: a way to find out whether it is accepted.',
        success: { status: 200, description: 'Name and version.', schema: answerSchemas.Root },
        problems: {},
      },
    }),
    ...databaseRoutes(apiBase, databases),
    ...fileRoutes(apiBase, databases),
    ...transferRoutes(apiBase, queue),
    ...sharingRoutes(sharing),
    healthRoute(health),
  ];
  routes.push(openApiRoute(routes));
  return routes;
}

function openApiRoute(routes: readonly DescribedRoute[]): DescribedRoute {
  let document: unknown;
  return describedRoute({
    method: 'GET',
    path: '/openapi.json',
    isOpen: true,
    handle: () => ({ status: 200, body: (document ??= openApiDocument(routes)) }),
    description: {
      operationId: 'getOpenApi',
      tag: 'service',
      summary: 'This document',
      description: 'Describes every operation, and is answered without a token.',
      success: { status: 200, description: 'The document.', schema: answerSchemas.OpenApiDocument },
      problems: {},
    },
  });
}
