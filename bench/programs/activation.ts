/**
 * Starts the core over a ledger, lists the most recently ended transfers, and sends the durations of both steps in
 * milliseconds to the parent process.
 */
import { createExplorer, type StartMs } from '../support/ledgers.ts';

const [folder = ''] = process.argv.slice(2);

const startedAt = performance.now();
const explorer = createExplorer(folder);
await explorer.transferFlow.resume();
const readyAt = performance.now();
await explorer.transferFlow.loadLastFinished();
const took: StartMs = { activation: readyAt - startedAt, listing: performance.now() - readyAt };
process.send?.(took);
explorer.dispose();
process.disconnect();
