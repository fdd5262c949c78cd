import type { PlanState, PlannedLicense, SavedPlan, TransferPlan } from '../../core/agents/transferPlan.ts';
import { sumUpFiles } from '../../core/recipes/recipeFile.ts';
import { collapseBlanks } from '../../core/util/visibleText.ts';
import { formatBytes, formatCount, toPlainCell, type Column } from '../text/terminalText.ts';

const exampleCount = 10;

/** Maximum number of licenses in a summary. Limited so that the summary fits in a terminal. */
const maxLicenses = 10;

/** The columns of a table of plans. */
export const planColumns: readonly Column<SavedPlan>[] = [
  { title: 'PLAN', getText: ({ plan }) => plan.id },
  { title: 'STATE', getText: ({ state }) => state.kind },
  { title: 'FILES', isNumber: true, getText: ({ plan }) => String(plan.files.length) },
  { title: 'SOURCE', getText: ({ plan }) => plan.source },
  { title: 'DESTINATION', getText: ({ plan }) => plan.destination },
  { title: 'AGENT', getText: ({ plan }) => plan.requestedBy },
];

/** Converts a plan to its JSON output (docs/command-line.md). */
export function toPlanDocument({ plan, state }: SavedPlan): object {
  const { createdAt, expiresAt, ...facts } = plan;
  return {
    ...facts,
    createdAt: toTime(createdAt),
    expiresAt: toTime(expiresAt),
    state: state.kind,
    ...('by' in state && { decidedBy: state.by, decidedAt: toTime(state.at) }),
    ...('transferKey' in state && { transferKey: state.transferKey }),
  };
}

/**
 * Describes a plan for the person who confirms or declines it. Text from servers and agents can't imitate other lines,
 * because line breaks, control characters and runs of spaces become single spaces.
 */
export function formatPlanSummary(plan: TransferPlan): string {
  const lines = [
    `${plan.requestedBy} proposes to transfer ${describeFiles(plan)}`,
    `from ${plan.source} to ${plan.destination}`,
    `on ${plan.service.name} (${plan.service.address}) as ${plan.service.orcid}.`,
    ...describeCopies(plan),
    plan.freeBytes === undefined ? 'Free space: unknown.' : `Free space: ${formatBytes(plan.freeBytes)}.`,
    ...describeLicenses(plan),
    ...describeTexts(plan),
    ...plan.files.slice(0, exampleCount).map(({ path }) => `  ${path}`),
    ...(plan.files.length > exampleCount ? [`  and ${plan.files.length - exampleCount} more`] : []),
  ];
  return lines.map((line) => `${line.startsWith('  ') ? '  ' : ''}${collapseBlanks(toPlainCell(line))}\n`).join('');
}

/** Formats the number and the total size of a plan's files: `3 files (1.5 MB)`. */
function describeFiles({ files }: TransferPlan): string {
  const { bytes, unknownCount } = sumUpFiles(files);
  const unknown = unknownCount === 0 ? '' : `, ${formatCount(unknownCount, 'file')} of unknown size`;
  return `${formatCount(files.length, 'file')} (${formatBytes(bytes)}${unknown})`;
}

/**
 * Returns a sentence about the earlier decision on a plan, or its expiry. Returns undefined if the plan can still be
 * confirmed or declined.
 */
export function describeDecided({ kind }: PlanState): string | undefined {
  if (kind === 'proposed') return undefined;
  return kind === 'expired' ? 'The plan has expired.' : `The plan was already ${kind}.`;
}

function describeCopies({ copies }: TransferPlan): readonly string[] {
  const { atDestination, isComplete, received, underWay } = copies;
  const least = isComplete ? '' : 'at least ';
  const isUnknown = !isComplete && atDestination === 0;
  return [
    `Already at the destination: ${isUnknown ? 'unknown' : `${least}${formatCount(atDestination, 'file')}`}.`,
    ...(received > 0 ? [`Transferred earlier: ${formatCount(received, 'file')}.`] : []),
    ...(underWay > 0 ? [`In a running transfer: ${formatCount(underWay, 'file')}.`] : []),
  ];
}

function describeLicenses({ licenses }: TransferPlan): readonly string[] {
  const rest = licenses.slice(maxLicenses);
  const restrictedCount = rest.filter(({ forbidsSharing }) => forbidsSharing).length;
  const verb = restrictedCount === 1 ? 'forbids' : 'forbid';
  const restricted = restrictedCount > 0 ? `, of which ${restrictedCount} ${verb} redistribution` : '';
  return [
    ...licenses.slice(0, maxLicenses).map(describeLicense),
    ...(rest.length > 0 ? [`And ${formatCount(rest.length, 'other license')}${restricted}.`] : []),
  ];
}

function describeLicense({ name = 'not stated', fileCount, forbidsSharing }: PlannedLicense): string {
  return `License ${name}: ${formatCount(fileCount, 'file')}${forbidsSharing ? '. It forbids redistribution' : ''}.`;
}

function describeTexts({ description, instructions, textOrigin }: TransferPlan): readonly string[] {
  const origin = textOrigin === 'server' ? ' (may have been copied from a server)' : '';
  return [
    ...(description === undefined ? [] : [`Description${origin}: ${description}`]),
    ...(instructions ? [`Instructions${origin}: ${JSON.stringify(instructions)}`] : []),
  ];
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
