/**
 * Runs the soak test under Node.js 24: `node scripts/soak/main.ts [--minutes 10] [--seed N] [--transfers 200]`. Started
 * by `scripts/soak.mjs`.
 */
import { parseArgs } from 'node:util';
import { soak } from '../../test/support/soak/soak.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string' }, seed: { type: 'string' }, transfers: { type: 'string' } },
});
const minutes = Number(values.minutes ?? 10);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const transfers = Number(values.transfers ?? Math.max(20, Math.round(20 * minutes)));
if (![minutes, seed, transfers].every((number) => Number.isFinite(number) && number >= 0)) {
  throw new Error('--minutes, --seed and --transfers must be non-negative numbers.');
}
console.log(`Seed ${String(seed)}: ${String(transfers)} transfers in ${String(minutes)} min`);
const result = await soak({ seed, minutes, transfers, log: (line) => console.log(line) });
for (const fault of result.faults) console.log(`✘ ${fault}`);
if (result.faults.length > 0)
  console.log(`To repeat: npm run soak -- --minutes ${minutes} --seed ${seed} --transfers ${transfers}`);
console.log(JSON.stringify(result));
process.exitCode = result.faults.length > 0 ? 1 : 0;
