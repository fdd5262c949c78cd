import type * as z from 'zod/mini';
import { isDeeperThan } from '../../core/util/json.ts';
import { maxFilePage } from '../../core/util/fileStates.ts';
import { parseUuid } from '../../core/util/uuid.ts';
import { createFieldProblem, createFieldsProblem, HttpProblem } from '../http/httpProblem.ts';
import { describeRoute, type DescribedRoute, type RouteResponse } from '../http/router.ts';
import type { TransferQueue } from '../transfers/transferQueue.ts';
import {
  fileStatesQuerySchema,
  ownerQuerySchema,
  responseSchemas,
  transferPathSchema,
  transferSchema,
} from '../wire/apiSchemas.ts';

const maxDepth = 100;
const exampleOrcid = '0000-0002-1825-0097';
const unknownTransferDescription = 'The transfer does not exist, or ended too long ago.';
const otherPersonDescription =
  'Another person submitted it, the Host header does not name this service, or the request is from a page of another origin.';
const journalFailureDescription = 'The transfer journal cannot be read or written.';

/**
 * Creates the routes for submitting (§4.5), polling (§4.6) and canceling (§4.7) transfers, and those that are beyond the
 * contract (D70: paused transfers, D71: file states).
 */
export function createTransferRoutes(apiBase: string, queue: TransferQueue): DescribedRoute[] {
  const one = `${apiBase}/transfers/{id}`;
  return [
    createSubmitRoute(apiBase, queue),
    createStatusRoute(one, queue),
    createCancelRoute(one, queue),
    createFilesRoute(queue),
    ...createPauseRoutes(queue),
  ];
}

function createSubmitRoute(apiBase: string, queue: TransferQueue): DescribedRoute {
  return describeRoute({
    method: 'POST',
    path: `${apiBase}/transfers`,
    body: transferSchema,
    handle: async ({ body }) => {
      if (isDeeperThan(body.instructions, maxDepth)) {
        const message = `must not be nested deeper than ${maxDepth} levels`;
        throw createFieldsProblem([createFieldProblem('body', ['instructions'], message)]);
      }
      const { description, instructions } = body;
      const optional = { description: description ?? undefined, instructions: instructions ?? undefined };
      const id = await queue.submit({ ...body, ...optional });
      return { status: 201, body: { id }, headers: { Location: `${apiBase}/transfers/${id}` } };
    },
    operationId: 'submitTransfer',
    tag: 'transfers',
    summary: 'Submit a transfer',
    description:
      'The transfer is stored before the response is sent. If the service stops, the transfer resumes at the next start.',
    success: {
      status: 201,
      description: 'The transfer is accepted.',
      schema: responseSchemas.TransferAccepted,
      headers: {
        Location: {
          description: 'Path of its status.',
          required: true,
          schema: { type: 'string', format: 'uri-reference' },
        },
      },
    },
    example: {
      orcid: exampleOrcid,
      source: 'Source Data',
      destination: 'Target',
      file_ids: ['a.csv', 'data/b.csv'],
      description: 'For the *assembly* of November.',
      instructions: { type: 'assembly' },
    },
    problems: {
      403: 'The destination is read-only, the service starts nothing after transfers, the Host header does not name this service, or the request is from a page of another origin.',
      409: 'The destination, an unfinished transfer or one that is still being cleaned up has the name in `instructions.folder`.',
      404: 'A database does not exist, or the source does not have all files; the first hundred are listed.',
      500: 'The source cannot be read or has not been listed yet, or the transfer journal cannot be written.',
    },
  });
}

function createStatusRoute(path: string, queue: TransferQueue): DescribedRoute {
  return describeRoute({
    method: 'GET',
    path,
    params: transferPathSchema,
    handle: ({ params: { id } }) => getStatus(queue, parseUuid(id) ?? id),
    operationId: 'getTransferStatus',
    tag: 'transfers',
    summary: 'Status of a transfer',
    description:
      'Available to everyone with the token. The status of an ended transfer is stored for a number of days.',
    success: { status: 200, description: 'The status.', schema: responseSchemas.TransferStatus },
    problems: { 404: unknownTransferDescription, 422: 'The ID is not a UUID.', 500: journalFailureDescription },
  });
}

function createFilesRoute(queue: TransferQueue): DescribedRoute {
  return describeRoute({
    method: 'GET',
    // The route is beyond the contract (D26: service HTTP behavior).
    path: '/transfers/{id}/files',
    params: transferPathSchema,
    query: fileStatesQuerySchema,
    handle: ({ params: { id }, query }) => listFiles(queue, parseUuid(id) ?? id, query),
    operationId: 'listTransferFiles',
    tag: 'transfers',
    summary: 'States of the files of a transfer',
    description:
      'Available to everyone with the token. Of a transfer that failed or was canceled, the files that were transferred are only counted, and so are all files of one that succeeded, which its manifest lists.',
    success: { status: 200, description: 'A page of the files.', schema: responseSchemas.TransferFileList },
    problems: {
      404: `${unknownTransferDescription} Or it failed under a version that did not keep its files.`,
      422: 'The ID is not a UUID, or a parameter is invalid.',
      500: journalFailureDescription,
    },
  });
}

function createCancelRoute(path: string, queue: TransferQueue): DescribedRoute {
  return describeRoute({
    method: 'DELETE',
    path,
    params: transferPathSchema,
    query: ownerQuerySchema,
    handle: ({ params: { id }, query }) => cancelTransfer(queue, parseUuid(id) ?? id, query.orcid),
    operationId: 'cancelTransfer',
    tag: 'transfers',
    summary: 'Cancel a transfer',
    description: 'Only for the person who submitted it. The status shows when it has ended; transferred files remain.',
    success: { status: 202, description: 'The transfer is being canceled.' },
    problems: {
      403: otherPersonDescription,
      404: unknownTransferDescription,
      409: 'The transfer has already ended.',
      500: journalFailureDescription,
    },
  });
}

function createPauseRoutes(queue: TransferQueue): DescribedRoute[] {
  const common = { method: 'POST', params: transferPathSchema, query: ownerQuerySchema, tag: 'transfers' } as const;
  const success = { status: 200, description: 'The status.', schema: responseSchemas.TransferStatus };
  const problems = { 403: otherPersonDescription, 404: unknownTransferDescription, 500: journalFailureDescription };
  return [
    describeRoute({
      ...common,
      path: '/transfers/{id}/pause',
      handle: ({ params: { id }, query }) => changePause(queue, id, query.orcid, 'pause'),
      operationId: 'pauseTransfer',
      summary: 'Pause a transfer',
      description: 'Only for the person who submitted it. Lasts, also over restarts, until it is resumed or canceled.',
      success,
      problems: { ...problems, 409: 'The transfer is already paused, is being canceled, or has ended.' },
    }),
    describeRoute({
      ...common,
      path: '/transfers/{id}/resume',
      handle: ({ params: { id }, query }) => changePause(queue, id, query.orcid, 'resume'),
      operationId: 'resumeTransfer',
      summary: 'Resume a paused transfer',
      description: 'Only for the person who submitted it. Files that were transferred are not transferred again.',
      success,
      problems: { ...problems, 409: 'The transfer is not paused, is being canceled, or has ended.' },
    }),
  ];
}

function getStatus(queue: TransferQueue, id: string): RouteResponse {
  const body = queue.getStatus(id);
  if (body === undefined) throw createUnknownTransferProblem(id);
  return { status: 200, body };
}

function listFiles(
  queue: TransferQueue,
  id: string,
  { state, limit = maxFilePage, cursor }: z.infer<typeof fileStatesQuerySchema>,
): RouteResponse {
  const page = queue.listFiles(id, { state, limit, from: Number(cursor ?? 0) });
  if (page === undefined && queue.get(id) !== undefined)
    throw new HttpProblem(
      404,
      `The files of transfer ${id}, which ended under an earlier version, are no longer known.`,
    );
  if (page === undefined) throw createUnknownTransferProblem(id);
  const files = page.files.map(({ file, state }) => ({
    position: file.position,
    id: file.resource.id,
    path: file.path,
    state,
    bytes: file.bytes,
    failedAttempts: file.failedAttempts,
    problem: file.problem,
  }));
  return { status: 200, body: { files, counts: page.counts, cursor: page.next?.toString() } };
}

function cancelTransfer(queue: TransferQueue, id: string, orcid: string): RouteResponse {
  switch (queue.cancel(id, orcid)) {
    case 'accepted':
      return { status: 202 };
    case 'unknown':
      throw createUnknownTransferProblem(id);
    case 'notOwner':
      throw createOtherPersonProblem('canceled');
    case 'ended':
      throw createEndedProblem(id);
    case 'starting':
      throw new HttpProblem(409, `The files of transfer ${id} have arrived, and what follows may have been started.`);
  }
}

function changePause(queue: TransferQueue, givenId: string, orcid: string, change: 'pause' | 'resume'): RouteResponse {
  const id = parseUuid(givenId) ?? givenId;
  switch (queue[change](id, orcid)) {
    case 'accepted':
      return getStatus(queue, id);
    case 'unknown':
      throw createUnknownTransferProblem(id);
    case 'notOwner':
      throw createOtherPersonProblem(`${change}d`);
    case 'ended':
      throw createEndedProblem(id);
    case 'canceling':
      throw new HttpProblem(409, `Transfer ${id} is being canceled.`);
    case 'ending':
      throw new HttpProblem(409, `Transfer ${id} has failed; its unfinished files are being removed.`);
    case 'unchanged':
      throw new HttpProblem(409, `Transfer ${id} is ${change === 'pause' ? 'already' : 'not'} paused.`);
  }
}

function createEndedProblem(id: string): HttpProblem {
  return new HttpProblem(409, `Transfer ${id} has already ended.`);
}

function createOtherPersonProblem(participle: string): HttpProblem {
  const message = `A transfer can be ${participle} only by the person who submitted it.`;
  return new HttpProblem(403, message, { errors: [{ message, location: 'query.orcid' }] });
}

function createUnknownTransferProblem(id: string): HttpProblem {
  const message = `There is no transfer ${id}.`;
  return new HttpProblem(404, message, { errors: [{ message, location: 'path.id' }] });
}
