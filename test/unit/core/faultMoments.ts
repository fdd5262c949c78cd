import { CoreWindow } from '../../support/coreWindow.ts';
import type { FaultCell } from './faultCell.ts';

/** The moments of a transfer at which an event can occur. */
export const moments = [
  'before sending',
  'sent and unanswered',
  'answered and unwritten',
  'running',
  'ending',
  'ended',
] as const;

/** One of {@link moments}. */
export type Moment = (typeof moments)[number];

const limitMs = 10_000;

/** Advances the cell's transfer to the given moment, and holds it there if it would otherwise continue by itself. */
export async function reach(cell: FaultCell, moment: Moment): Promise<void> {
  const { server, first } = cell;
  if (moment === 'sent and unanswered' || moment === 'answered and unwritten') server.submissionGate.hold();
  await first.submit();
  if (moment === 'before sending') await holdBeforeSending(cell);
  else await cell.waitFor('it is submitted', () => server.transfers.length === 1);
  if (moment === 'sent and unanswered') cell.release = () => server.submissionGate.release();
  if (moment === 'answered and unwritten') await holdUnwritten(cell);
  if (moment === 'running' || moment === 'ending' || moment === 'ended') await run(cell);
  if (moment === 'ending') await holdEnd(cell);
  if (moment === 'ended') await finish(cell);
}

/** Waits until the window, which was opened with its gate closed, is about to send the submission. */
async function holdBeforeSending(cell: FaultCell): Promise<void> {
  const { first } = cell;
  await cell.waitFor('its intent is written', async () => (await cell.records('running')).length === 1);
  if (!(first instanceof CoreWindow)) return;
  cell.release = () => first.sending.release();
  await cell.waitFor('it is about to be sent', () => first.sending.waitingCount === 1);
}

/** Delivers the response while a lock prevents the window from writing the record. */
async function holdUnwritten(cell: FaultCell): Promise<void> {
  const lock = await cell.lockRecord();
  cell.release = async () => {
    cell.release = () => undefined;
    await lock.release();
  };
  cell.server.submissionGate.release();
  await cell.waitFor('it is answered', async () => (await cell.first.shown())?.id !== undefined);
}

async function run(cell: FaultCell): Promise<void> {
  cell.server.setStatus('active');
  await shows(cell, 'active');
  await cell.pass(30_000);
}

/** Ends the transfer on the server and holds the status response that reports it. */
async function holdEnd(cell: FaultCell): Promise<void> {
  const { server } = cell;
  server.statusGate.hold();
  server.setStatus('succeeded');
  cell.release = () => server.statusGate.release();
  await cell.passUntil('it is polled', () => server.statusGate.waitingCount === 1, limitMs);
}

async function finish(cell: FaultCell): Promise<void> {
  cell.server.setStatus('succeeded');
  await shows(cell, 'succeeded');
  await cell.waitFor('its end is written', async () => (await cell.records('ended')).length === 1);
}

async function shows(cell: FaultCell, state: string): Promise<void> {
  await cell.passUntil(`it is ${state}`, async () => (await cell.first.shown())?.state === state, limitMs);
}
