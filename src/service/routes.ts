import { localServiceName } from '../contract/root.ts';
import { apiVersion } from '../contract/apiVersion.ts';
import type { ServedDatabases } from './catalog/databases.ts';
import { databaseRoutes } from './routes/databaseRoutes.ts';
import { fileRoutes } from './routes/fileRoutes.ts';
import { sharingRoutes, type Sharing } from './routes/sharingRoutes.ts';
import { transferRoutes } from './routes/transferRoutes.ts';
import { contractSchemas, openApiDocument, type DescribedRoute } from './openApi.ts';
import type { TransferQueue } from './transfers/transferQueue.ts';
import { serviceVersion } from './version.ts';

/** Every operation of the service: those of §4, and the few of D26 and D29. */
export function serviceRoutes(databases: ServedDatabases, queue: TransferQueue, sharing: Sharing): DescribedRoute[] {
  const apiBase = `/api/v${apiVersion}`;
  const routes: DescribedRoute[] = [
    {
      method: 'GET',
      path: '/',
      handle: async () =>
        await Promise.resolve({ status: 200, body: { name: localServiceName, version: serviceVersion } }),
      description: {
        summary: 'The name and version of the service',
        successStatus: 200,
        response: contractSchemas.root,
        problems: [],
      },
    },
    ...databaseRoutes(apiBase, databases),
    ...fileRoutes(apiBase, databases),
    ...transferRoutes(apiBase, queue),
    ...sharingRoutes(sharing),
  ];
  return [...routes, openApiRoute(routes)];
}

function openApiRoute(routes: readonly DescribedRoute[]): DescribedRoute {
  return {
    method: 'GET',
    path: '/openapi.json',
    isOpen: true,
    handle: async () => await Promise.resolve({ status: 200, body: openApiDocument(routes) }),
    description: { summary: 'This document', successStatus: 200, problems: [] },
  };
}
