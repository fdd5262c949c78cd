import { l10n } from 'vscode';
import type { TransferPlan } from '../../../core/agents/transferPlan.ts';
import type { Clock } from '../../../core/util/clock.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import { runCommand } from '../../editor/commandBoundary.ts';
import type { Notifications } from '../../editor/notifications.ts';
import { describeClosedPlan, describeProposal } from '../../words/agentWords.ts';
import type { ProposedPlans } from './proposedPlans.ts';

interface PlanNotificationsDependencies {
  readonly plans: ProposedPlans;
  readonly notifications: Notifications;
  readonly clock: Clock;
  /** Resolves to true in the first window that claims a notification. */
  claim(name: string): Promise<boolean>;
}

/** Milliseconds before a plan is announced. Until then, only the window whose agent proposed it asks. */
const notificationDelayMs = 5_000;

/**
 * Announces plans that are still undecided after a delay. Only one window announces each plan. Shows a message in the
 * status bar when a plan is declined or expires.
 */
export function watchPlanNotifications({
  plans,
  notifications,
  clock,
  claim,
}: PlanNotificationsDependencies): Disposable {
  const lifetime = new Lifetime();
  const known = new Set<string>();
  const announce = async (plan: TransferPlan): Promise<void> => {
    const isFirst = plans.get(plan.id) !== undefined && (await claim(`plan-${plan.id}`));
    if (isFirst) await notifications.info(describeProposal(plan), createReview(plan));
  };
  lifetime.track(
    plans.onDidChange(() => {
      for (const plan of plans.getAll().filter(({ id }) => !known.has(id))) {
        known.add(plan.id);
        lifetime.track(clock.after(notificationDelayMs, () => void announce(plan)));
      }
    }),
  );
  lifetime.track(
    plans.onDidClose(({ plan, state }) => {
      const text = describeClosedPlan(plan, state);
      if (text !== undefined) notifications.showStatusMessage(text);
    }),
  );
  return lifetime;
}

function createReview({ id }: TransferPlan) {
  return { label: l10n.t('Review…'), run: () => runCommand('dataTransfer.confirmPlan', { kind: 'plan', id }) };
}
