import { describedRoute, type DescribedRoute } from '../http/describedRoute.ts';
import type { Leases } from '../leases.ts';
import { answerSchemas } from '../wire/schemas.ts';
import { leaseSchema, stopQuerySchema, type ServiceState } from '../wire/sharing.ts';

/** What those who share a service can ask of it besides its databases. */
export interface Sharing {
  readonly isShared: boolean;
  readonly leases: Leases;
  state(): ServiceState;
  /** Stops the service in order; resolves when it has let go of everything, while its last answers may still go out. */
  stop(isReplaced: boolean): Promise<void>;
}

/**
 * What belongs to sharing one service among windows: leases, how it stands, and its end (D29). A service that is not
 * shared serves its configuration and nothing else: it has neither leases nor a stop (D41).
 */
export function sharingRoutes(sharing: Sharing): DescribedRoute[] {
  return [stateRoute(sharing), ...(sharing.isShared ? [leaseRoute(sharing), stopRoute(sharing)] : [])];
}

function leaseRoute({ leases }: Sharing): DescribedRoute {
  return describedRoute({
    method: 'POST',
    path: '/leases',
    needsSharingToken: true,
    body: leaseSchema,
    handle: async ({ body }) => await leases.begin(body),
    description: {
      operationId: 'beginLease',
      tag: 'service',
      summary: 'Serve folders as long as the connection is held',
      description:
        'The answer stays open, with one JSON value a line: first what is served for this lease, then what changes. The lease ends with the connection.',
      success: {
        status: 200,
        description: 'The folders are served.',
        schema: answerSchemas.LeaseLine,
        mediaType: 'application/x-ndjson',
      },
      example: { databases: [{ name: 'Lab Share', folder: '/data/lab', organization: 'Our Lab' }] },
      problems: { 500: 'What the folders are called could not be written down.' },
    },
  });
}

function stateRoute(sharing: Sharing): DescribedRoute {
  return describedRoute({
    method: 'GET',
    path: '/service',
    handle: () => ({ status: 200, body: sharing.state() }),
    description: {
      operationId: 'getService',
      tag: 'service',
      summary: 'Which process the service is, and how many use it',
      description: 'Proves to those who share the service that it is the one that they mean.',
      success: { status: 200, description: 'How the service stands.', schema: answerSchemas.ServiceState },
      problems: {},
    },
  });
}

function stopRoute(sharing: Sharing): DescribedRoute {
  return describedRoute({
    method: 'DELETE',
    path: '/service',
    needsSharingToken: true,
    query: stopQuerySchema,
    handle: async ({ query }) => {
      await sharing.stop(query.replaced === 'true');
      return { status: 204 };
    },
    description: {
      operationId: 'stopService',
      tag: 'service',
      summary: 'Stop the service in order',
      description: 'Answered when all is put away. All leases end; transfers go on at the next start.',
      success: { status: 204, description: 'The service has ended, but for this answer.' },
      problems: {},
    },
  });
}
