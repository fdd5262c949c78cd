/** Counts the passed tests by kind, in one line: `contract rows 143, faults 97, properties 12 (1,000 runs each)`. */
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

/** Summarizes the axe results. A page with a violation fails its test, so the counted pages have no violations. */
function axeOf(tallies) {
  const incomplete = tallies.reduce((sum, tally) => sum + (tally.incomplete ?? 0), 0);
  const passed = tallies.reduce((sum, tally) => sum + tally.runs, 0);
  return ` (axe: ${passed.toLocaleString('en-US')} rules passed, 0 violations, ${incomplete} incomplete)`;
}

const details = { 'accessible page': axeOf, command: ([{ runs }]) => ` (${runs} commands)` };

/** The tasks whose actions are counted, in the order in which the line lists them. */
const tasks = [
  ...['first search', 'transfer of three files', 'find my files', 'cite my files'],
  ...['cancel', 'transfer again', 'repeat from a recipe'],
];

/** Returns a line with the maximum number of actions that each task took: `actions: first search 3, cancel 2`. */
function actionsLine(tallies) {
  const counts = new Map();
  for (const [task, count] of tallies.flatMap(({ actions = {} }) => Object.entries(actions)))
    counts.set(task, Math.max(count, counts.get(task) ?? 0));
  const unlisted = [...counts.keys()].filter((task) => !tasks.includes(task));
  const parts = [...tasks, ...unlisted].filter((task) => counts.has(task)).map((task) => `${task} ${counts.get(task)}`);
  return parts.length === 0 ? '' : `\nactions: ${parts.join(', ')}`;
}

/** Formats the tallies: one `{ kind, runs }` for each counted test, as the reporter sends them. */
export function tallyLine(tallies) {
  const parts = Object.entries(names).map(([kind, name]) => {
    const ofKind = tallies.filter((tally) => tally.kind === kind);
    return `${name} ${ofKind.length}${ofKind.length > 0 ? (details[kind] ?? runsOf)(ofKind) : ''}`;
  });
  return parts.join(', ') + actionsLine(tallies);
}
