import { extensionId } from './camera.ts';
import type { Stage } from './stage.ts';

/** Opens the link in the clipboard once it is of a kind, or one with other fields in their place. */
export async function openCopiedLink({ window }: Stage, kind?: string, fields?: string): Promise<void> {
  const link = await window.clipboard((copied) => copied.includes(`://${extensionId}/${kind ?? ''}`));
  const query = fields === undefined ? undefined : `?${encodeURIComponent(fields)}`;
  await window.command('Developer: Open URL');
  await window.input(query === undefined ? link : link.replace(/\?.*/s, query), /URL to open/);
}
