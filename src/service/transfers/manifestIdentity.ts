import * as fs from 'node:fs';

/** The ID comes within the first lines of a manifest. */
const headBytes = 1024;

/**
 * Returns true if a file is the manifest of this transfer, from this or an earlier attempt. Never follows a link. Rejects
 * if the file can't be read.
 */
export async function isManifestOf(path: string, transferId: string): Promise<boolean> {
  if (!(await fs.promises.lstat(path)).isFile()) return false;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const file = await fs.promises.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('utf8', 0, bytesRead).includes(`"id": "${transferId}"`);
  } finally {
    await file.close();
  }
}
