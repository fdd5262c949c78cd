import { extensionId } from './camera.ts';
import type { Stage } from './stage.ts';

/**
 * Waits until a link of the given kind is on the clipboard, and opens it. `fields` replaces the JSON in the link's
 * query.
 */
export async function openCopiedLink({ window }: Stage, kind?: string, fields?: string): Promise<void> {
  const link = await window.clipboard((copied) => copied.includes(`://${extensionId}/${kind ?? ''}`));
  const query = fields === undefined ? undefined : `?${encodeURIComponent(fields)}`;
  await window.command('Developer: Open URL');
  await window.input(query === undefined ? link : link.replace(/\?.*/s, query), /URL to open/);
}
