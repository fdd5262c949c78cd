/** Starts the core over a ledger, and prints the time in milliseconds. */
import { createExplorer } from '../support/ledgers.ts';

const [folder = ''] = process.argv.slice(2);

const startedAt = performance.now();
const explorer = createExplorer(folder);
await explorer.transferFlow.resume();
process.send?.(performance.now() - startedAt);
explorer.dispose();
process.disconnect();
