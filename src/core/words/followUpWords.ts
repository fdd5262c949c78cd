import type { FollowUp, FollowUpStatus } from '../util/followUp.ts';
import type { Translator, Wording } from './sharedSentences.ts';

/** Returns the label of what follows a transfer. */
export function getFollowUpLabel(l10n: Translator): string {
  return l10n.t('Afterwards');
}

/** Describes what will be started after a transfer, with the given path, such as `submit the job /lab/analyse.sbatch`. */
export function describePlannedFollowUp({ l10n, toPlainLine }: Wording, { kind, path }: FollowUp): string {
  return kind === 'sbatch' ? l10n.t('submit the job {0}', toPlainLine(path)) : l10n.t('start {0}', toPlainLine(path));
}

/** Describes what became of a follow-up, as a clause, such as `submitted analyse.sbatch as job 17`. */
export function describeFollowUp(wording: Wording, followUp: FollowUpStatus): string {
  const { l10n, toPlainLine } = wording;
  const { path, state, job, exitCode, output, problem } = followUp;
  const name = toPlainLine(path.split(/[\\/]/).at(-1) ?? '');
  const reason = toPlainLine(problem ?? '');
  switch (state) {
    case 'waiting':
      return describePlannedFollowUp(wording, { kind: followUp.kind, path: name });
    case 'submitted':
      return l10n.t('submitted {0} as job {1}', name, toPlainLine(job ?? ''));
    case 'started': {
      const file = toPlainLine(output ?? '');
      return problem === undefined
        ? l10n.t('started {0}; its output: {1}', name, file)
        : l10n.t("started {0}, but its end isn't known ({1}); its output: {2}", name, reason, file);
    }
    case 'ended': {
      const file = toPlainLine(output ?? '');
      return exitCode === undefined
        ? l10n.t('{0} was interrupted ({1}); its output: {2}', name, reason, file)
        : l10n.t('{0} has ended with exit code {1}; its output: {2}', name, exitCode, file);
    }
    case 'notStarted':
      return l10n.t('{0} was not started: {1}', name, reason);
    case 'unclear':
      return l10n.t('{0} may have been started, and is not started again', name);
  }
}
