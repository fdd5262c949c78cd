import { commands, env, l10n, Uri } from 'vscode';
import { findRclonePath, isRcloneTooOld, oldestRclone, readRcloneVersion } from '../../../core/util/rclonePath.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { setRcloneMissing } from '../../editor/contextKeys.ts';
import type { NotificationAction } from '../../editor/notifications.ts';
import type { Settings } from '../../editor/settings.ts';
import { toPlainLine } from '../../words/plainText.ts';

const installationGuide = 'https://rclone.org/install/';

/**
 * Returns the path of a usable rclone. If there is none, throws a {@link CommandFailure} that explains the problem and
 * offers an installation guide.
 */
export async function requireRclone({ rclonePath }: Settings): Promise<string> {
  const path = findRclonePath(rclonePath);
  setRcloneMissing(path === undefined);
  if (path === undefined) throw new CommandHint(describeMissingRclone(rclonePath), ...createRcloneSteps());
  const version = await readRcloneVersion(path);
  if (version !== undefined && !isRcloneTooOld(version)) return path;
  throw new CommandFailure(describeUnusableRclone(path, version), ...createRcloneSteps());
}

function describeUnusableRclone(path: string, version: string | undefined): string {
  if (version === undefined) return l10n.t("{0} can't be run or isn't rclone.", toPlainLine(path));
  return l10n.t('rclone {0} is too old. Install version {1} or later.', version, oldestRclone);
}

function describeMissingRclone(configured: string | undefined): string {
  const setting = 'dataTransfer.rclone.path';
  if (configured !== undefined)
    return l10n.t("rclone wasn't found at {0}. Check the {1} setting.", toPlainLine(configured), setting);
  const missing = l10n.t("Stores need rclone, which wasn't found.");
  return [missing, describeInstallation[process.platform]?.()].filter(Boolean).join(' ');
}

const describeInstallation: Readonly<Partial<Record<NodeJS.Platform, () => string>>> = {
  darwin: () => l10n.t('Install it, for example with: brew install rclone'),
  linux: () => l10n.t('Install it, for example with: sudo apt install rclone'),
  win32: () => l10n.t('Install it, for example with: winget install Rclone.Rclone'),
};

function createRcloneSteps(): NotificationAction[] {
  return [
    {
      label: l10n.t('Installation Guide'),
      run: () => env.openExternal(Uri.parse(installationGuide)),
    },
    {
      label: l10n.t('Set Path'),
      run: () => commands.executeCommand('workbench.action.openSettings', 'dataTransfer.rclone.path'),
    },
  ];
}
