import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readRecordedPlaces } from './editor/places.ts';

/** `newest` to run all store tests with the newest rclone of Debian instead of the installed one. */
const choice = process.env['DATA_TRANSFER_TEST_RCLONE'];

const newestRclone = findNewestRclone();

/** Puts the newest rclone first on the PATH, for this process and those that it starts, if that is chosen. */
export function useChosenRclone(): void {
  if (choice !== 'newest') return;
  if (newestRclone === undefined) throw new Error('The newest rclone is missing: run "npm run setup".');
  process.env['PATH'] = addToPath(newestRclone);
}

/**
 * Defines tests twice: with the rclone on the PATH and, unless it is chosen for all, with the newest one. If that is
 * missing, a line after the tests says so.
 */
export function describeWithEachRclone(title: string, define: () => void): void {
  describe(title, () => {
    define();
    if (newestRclone === undefined) after(() => console.log(`Without the newest rclone, which is missing: ${title}`));
  });
  if (newestRclone === undefined || choice === 'newest') return;
  describe(`${title}, with the newest rclone`, () => {
    const path = process.env['PATH'];
    before(() => {
      process.env['PATH'] = addToPath(newestRclone);
    });
    after(() => {
      process.env['PATH'] = path;
    });
    define();
  });
}

function findNewestRclone(): string | undefined {
  const { newestRclone: folder } = readRecordedPlaces();
  return folder !== undefined && existsSync(join(folder, 'rclone')) ? folder : undefined;
}

function addToPath(folder: string): string {
  return [folder, process.env['PATH'] ?? ''].join(delimiter);
}
