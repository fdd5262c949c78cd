/** Makes the core ready over a ledger, and tells how many milliseconds that took. */
import { explorerOver } from '../support/ledgers.ts';

const [folder = ''] = process.argv.slice(2);

const startedAt = performance.now();
const explorer = explorerOver(folder);
await explorer.transferFlow.resume();
process.send?.(performance.now() - startedAt);
explorer.dispose();
process.disconnect();
