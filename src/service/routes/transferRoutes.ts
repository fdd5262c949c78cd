import { transferRequestSchema } from '../../contract/transfer.ts';
import { fieldProblem, HttpProblem } from '../http/httpProblem.ts';
import { parseBody } from '../http/requestBody.ts';
import type { ApiAnswer } from '../http/router.ts';
import { contractSchemas, type DescribedRoute } from '../openApi.ts';
import { statusDocument } from '../transfers/transferRecord.ts';
import type { TransferQueue } from '../transfers/transferQueue.ts';
import { checkOrcid } from './fileRoutes.ts';

const maxDepth = 100;
const transferId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Submission (§4.5), status (§4.6) and cancel (§4.7) of transfers. */
export function transferRoutes(apiBase: string, queue: TransferQueue): DescribedRoute[] {
  const one = `${apiBase}/transfers/{id}`;
  return [
    {
      method: 'POST',
      path: `${apiBase}/transfers`,
      handle: async ({ readBody }) => await submit(queue, await readBody()),
      description: {
        summary: 'Submit a transfer',
        requestBody: transferRequestSchema,
        successStatus: 201,
        response: contractSchemas.accepted,
        problems: [400, 404, 408, 413, 415, 422],
      },
    },
    {
      method: 'GET',
      path: one,
      handle: async ({ params }) => await Promise.resolve(status(queue, idOf(params['id']))),
      description: {
        summary: 'The status of a transfer',
        successStatus: 200,
        response: contractSchemas.status,
        problems: [404, 422],
      },
    },
    {
      method: 'DELETE',
      path: one,
      handle: async ({ params, query }) => {
        return await Promise.resolve(cancel(queue, idOf(params['id']), query.get('orcid') ?? ''));
      },
      description: {
        summary: 'Cancel a transfer',
        query: ['orcid'],
        successStatus: 202,
        problems: [404, 409, 422],
      },
    },
  ];
}

async function submit(queue: TransferQueue, body: unknown): Promise<ApiAnswer> {
  const request = parseBody(transferRequestSchema, body);
  checkOrcid(request.orcid, 'body');
  if (isDeeperThan(request.instructions, maxDepth)) {
    throw fieldProblem('body.instructions', `must not be nested deeper than ${maxDepth} levels`);
  }
  return { status: 201, body: { id: await queue.submit(request) } };
}

/** Walks level by level: what is nested too deeply to be written as JSON again must not be walked by recursion either. */
function isDeeperThan(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : []));
    if (level.length === 0) return false;
  }
  return true;
}

function status(queue: TransferQueue, id: string): ApiAnswer {
  const record = queue.get(id);
  if (record === undefined) throw unknownTransfer(id);
  return { status: 200, body: statusDocument(record) };
}

function cancel(queue: TransferQueue, id: string, orcid: string): ApiAnswer {
  checkOrcid(orcid, 'query');
  switch (queue.cancel(id, orcid)) {
    case 'accepted':
      return { status: 202 };
    case 'unknown':
      throw unknownTransfer(id);
    case 'notYours':
      throw new HttpProblem(403, 'A transfer can be cancelled only by the person who submitted it.');
    case 'ended':
      throw new HttpProblem(409, `Transfer ${id} has already ended.`);
  }
}

function unknownTransfer(id: string): HttpProblem {
  return new HttpProblem(404, `There is no transfer ${id}.`);
}

function idOf(text: string | undefined): string {
  const id = (text ?? '').toLowerCase();
  if (!transferId.test(id)) throw fieldProblem('path.id', 'must be the id of a transfer: a UUID');
  return id;
}
