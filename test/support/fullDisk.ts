import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const { open, writeFile } = fs;

/**
 * Simulates a full disk in this process: files in the folder can be created but not written (ENOSPC). Returns a
 * function that ends the simulation.
 */
export function fillDisk(folder: string): () => void {
  const isThere = (path: unknown): boolean => typeof path === 'string' && path.startsWith(folder);
  const fail = (): Promise<never> =>
    Promise.reject(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
  const openOnIt: typeof open = async (path, ...rest) => {
    const file = await open(path, ...rest);
    return isThere(path) ? Object.assign(file, { writeFile: fail, write: fail }) : file;
  };
  const writeOnIt: typeof writeFile = async (path, data, options) => {
    await writeFile(path, isThere(path) ? '' : data, options);
    if (isThere(path)) await fail();
  };
  install({ open: openOnIt, writeFile: writeOnIt });
  return () => {
    install({ open, writeFile });
  };
}

function install(functions: Partial<typeof fs>): void {
  Object.assign(fs, functions);
  syncBuiltinESMExports();
}
