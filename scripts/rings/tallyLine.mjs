/** What the tests that passed stood for, in one line: `contract rows 143, faults 97, properties 12 (1,000 runs each)`. */
const names = {
  'contract row': 'contract rows',
  fault: 'faults',
  property: 'properties',
  'accessible page': 'accessible pages',
  command: 'journeys through all commands',
};

function runsOf(tallies) {
  const runs = tallies.map((tally) => tally.runs);
  const [least, most] = [Math.min(...runs), Math.max(...runs)].map((count) => count.toLocaleString('en-US'));
  if (most === '1') return '';
  return least === most ? ` (${most} runs each)` : ` (${least} to ${most} runs each)`;
}

/** What axe said of the pages: a page with a violation fails, so all that are counted have none. */
function axeOf(tallies) {
  const incomplete = tallies.reduce((sum, tally) => sum + (tally.incomplete ?? 0), 0);
  const passed = tallies.reduce((sum, tally) => sum + tally.runs, 0);
  return ` (axe: ${passed.toLocaleString('en-US')} rules passed, 0 violations, ${incomplete} incomplete)`;
}

const details = { 'accessible page': axeOf, command: ([{ runs }]) => ` (${runs} commands)` };

/** `tallies`: one `{ kind, runs }` for each test that was counted, as the reporter tells them. */
export function tallyLine(tallies) {
  const parts = Object.entries(names).map(([kind, name]) => {
    const ofKind = tallies.filter((tally) => tally.kind === kind);
    return `${name} ${ofKind.length}${ofKind.length > 0 ? (details[kind] ?? runsOf)(ofKind) : ''}`;
  });
  return parts.join(', ');
}
