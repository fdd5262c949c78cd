import type { Health } from '../health.ts';
import { describeRoute, type DescribedRoute } from '../http/describedRoute.ts';
import { HttpProblem } from '../http/httpProblem.ts';
import { responseSchemas } from '../wire/responseSchemas.ts';

/** Creates the route that reports readiness to monitoring programs (D40: administered service). */
export function createHealthRoute(health: Pick<Health, 'findProblems'>): DescribedRoute {
  return describeRoute({
    method: 'GET',
    path: '/health',
    isOpen: true,
    handle: async () => {
      const problems = await health.findProblems();
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
}
