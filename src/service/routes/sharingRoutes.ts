import { leaseRequestSchema, type ServiceState } from '../../contract/sharing.ts';
import { parseBody } from '../http/requestBody.ts';
import type { ApiAnswer } from '../http/router.ts';
import { contractSchemas, type DescribedRoute } from '../openApi.ts';
import type { Leases } from '../leases.ts';

/** What those who share a service can ask of it besides its databases. */
export interface Sharing {
  readonly leases: Leases;
  state(): ServiceState;
  /** Stops the service in order; resolves when it has let go of everything, while its last answers may still go out. */
  stop(isReplaced: boolean): Promise<void>;
}

/** What belongs to sharing one service among windows: leases, how it stands, and its end (D29). */
export function sharingRoutes(sharing: Sharing): DescribedRoute[] {
  return [
    {
      method: 'POST',
      path: '/leases',
      handle: async ({ readBody }) => await sharing.leases.begin(parseBody(leaseRequestSchema, await readBody())),
      description: {
        summary:
          'Serve folders as databases as long as the connection is held; one line of JSON for what is served, and one for each change',
        requestBody: leaseRequestSchema,
        successStatus: 200,
        response: contractSchemas.leaseLine,
        responseType: 'application/x-ndjson',
        problems: [400, 408, 413, 415, 422],
      },
    },
    {
      method: 'GET',
      path: '/service',
      handle: async () => await Promise.resolve<ApiAnswer>({ status: 200, body: sharing.state() }),
      description: {
        summary: 'Which process the service is, and how many use it',
        successStatus: 200,
        response: contractSchemas.serviceState,
        problems: [],
      },
    },
    {
      method: 'DELETE',
      path: '/service',
      handle: async ({ query }) => {
        await sharing.stop(query.get('replaced') === 'true');
        return { status: 204 };
      },
      description: {
        summary:
          'Stop the service in order: answered when all is put away; transfers go on at the next start. `replaced=true` says that another service follows at once',
        query: ['replaced?'],
        successStatus: 204,
        problems: [],
      },
    },
  ];
}
