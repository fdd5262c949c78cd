import type { Health } from '../health.ts';
import { describedRoute, type DescribedRoute } from '../http/describedRoute.ts';
import { HttpProblem } from '../http/httpProblem.ts';
import { answerSchemas } from '../wire/schemas.ts';

/** Reports if the service is ready, for a program that watches it (D40). */
export function healthRoute(health: Pick<Health, 'problems'>): DescribedRoute {
  return describedRoute({
    method: 'GET',
    path: '/health',
    isOpen: true,
    handle: async () => {
      const problems = await health.problems();
      if (problems.length > 0) throw new HttpProblem(503, problems.join(' '));
      return { status: 200, body: { status: 'ready' } };
    },
    description: {
      operationId: 'getHealth',
      tag: 'service',
      summary: 'Whether the service is ready',
      description:
        'Answered without a token. Ready: every database can be searched, and transfers can be written down. Else the problem says why, without names, which are in the log.',
      success: { status: 200, description: 'The service is ready.', schema: answerSchemas.Health },
      problems: { 503: 'The service is not ready; the detail says why.' },
    },
  });
}
