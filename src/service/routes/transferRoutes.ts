import { isDeeperThan } from '../../core/util/json.ts';
import { HttpProblem, wrongFields } from '../http/httpProblem.ts';
import { fieldProblemAt } from '../http/issues.ts';
import { describedRoute, type DescribedRoute } from '../http/describedRoute.ts';
import type { ApiAnswer } from '../http/router.ts';
import { statusDocument } from '../transfers/transferRecord.ts';
import type { TransferQueue } from '../transfers/transferQueue.ts';
import { cancelQuerySchema, transferPathSchema, transferSchema } from '../wire/requests.ts';
import { canonicalUuid } from '../wire/uuid.ts';
import { answerSchemas } from '../wire/schemas.ts';

const maxDepth = 100;
const someone = '0000-0002-1825-0097';
const noTransfer = 'There is no such transfer, or it ended so long ago that it is forgotten.';
const noJournal = 'The journal of transfers cannot be read or written.';

/** Submission (§4.5), status (§4.6) and cancel (§4.7) of transfers. */
export function transferRoutes(apiBase: string, queue: TransferQueue): DescribedRoute[] {
  const one = `${apiBase}/transfers/{id}`;
  return [submitRoute(apiBase, queue), statusRoute(one, queue), cancelRoute(one, queue)];
}

function submitRoute(apiBase: string, queue: TransferQueue): DescribedRoute {
  return describedRoute({
    method: 'POST',
    path: `${apiBase}/transfers`,
    body: transferSchema,
    handle: async ({ body }) => {
      if (isDeeperThan(body.instructions, maxDepth)) {
        const message = `must not be nested deeper than ${maxDepth} levels`;
        throw wrongFields([fieldProblemAt('body', ['instructions'], message)]);
      }
      const { description, instructions, ...rest } = body;
      const given = { description: description ?? undefined, instructions: instructions ?? undefined };
      const id = await queue.submit({ ...rest, ...given });
      return { status: 201, body: { id }, headers: { Location: `${apiBase}/transfers/${id}` } };
    },
    description: {
      operationId: 'submitTransfer',
      tag: 'transfers',
      summary: 'Submit a transfer',
      description: 'When this is answered the transfer is on disk: it is carried out even if the service is ended.',
      success: {
        status: 201,
        description: 'The transfer is accepted.',
        schema: answerSchemas.TransferAccepted,
        headers: {
          Location: {
            description: 'Path of its status.',
            required: true,
            schema: { type: 'string', format: 'uri-reference' },
          },
        },
      },
      example: {
        orcid: someone,
        source: 'Source Data',
        destination: 'Target',
        file_ids: ['a.csv', 'data/b.csv'],
        description: 'For the *assembly* of November.',
        instructions: { type: 'assembly' },
      },
      problems: {
        403: 'The destination is read-only; or the Host is not this service; or the request is that of a web page.',
        404: 'There is no such database, or the source does not have all of the files; each of these is named.',
        500: 'The folder of the source cannot be read, or the journal of transfers cannot be written.',
      },
    },
  });
}

function statusRoute(path: string, queue: TransferQueue): DescribedRoute {
  return describedRoute({
    method: 'GET',
    path,
    params: transferPathSchema,
    handle: ({ params }) => status(queue, canonicalUuid(params.id)),
    description: {
      operationId: 'getTransferStatus',
      tag: 'transfers',
      summary: 'Status of a transfer',
      description: 'Whoever has the token may ask. The status of a transfer that has ended is kept for some days.',
      success: { status: 200, description: 'The status.', schema: answerSchemas.TransferStatus },
      problems: { 404: noTransfer, 422: 'The id is no UUID.', 500: noJournal },
    },
  });
}

function cancelRoute(path: string, queue: TransferQueue): DescribedRoute {
  return describedRoute({
    method: 'DELETE',
    path,
    params: transferPathSchema,
    query: cancelQuerySchema,
    handle: ({ params, query }) => cancel(queue, canonicalUuid(params.id), query.orcid),
    description: {
      operationId: 'cancelTransfer',
      tag: 'transfers',
      summary: 'Cancel a transfer',
      description: 'Only for the person who submitted it. The status tells when it has ended; whole files stay.',
      success: { status: 202, description: 'It is being cancelled.' },
      problems: {
        403: 'Another person submitted it; or the Host is not this service; or the request is that of a web page.',
        404: noTransfer,
        409: 'The transfer has already ended.',
        500: noJournal,
      },
    },
  });
}

function status(queue: TransferQueue, id: string): ApiAnswer {
  const record = queue.get(id);
  if (record === undefined) throw unknownTransfer(id);
  return { status: 200, body: statusDocument(record) };
}

function cancel(queue: TransferQueue, id: string, orcid: string): ApiAnswer {
  switch (queue.cancel(id, orcid)) {
    case 'accepted':
      return { status: 202 };
    case 'unknown':
      throw unknownTransfer(id);
    case 'notYours': {
      const message = 'A transfer can be cancelled only by the person who submitted it.';
      throw new HttpProblem(403, message, { errors: [{ message, location: 'query.orcid' }] });
    }
    case 'ended':
      throw new HttpProblem(409, `Transfer ${id} has already ended.`);
  }
}

function unknownTransfer(id: string): HttpProblem {
  const message = `There is no transfer ${id}.`;
  return new HttpProblem(404, message, { errors: [{ message, location: 'path.id' }] });
}
