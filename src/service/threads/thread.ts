import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { handleCalls, type ThreadRole } from './threadCalls.ts';

/** Each role loads only its own modules, because each thread has a heap of its own. */
const programs: Readonly<Record<ThreadRole['role'], (port: MessagePort) => Promise<void>>> = {
  catalogs: async (port) => {
    const { serveCatalogs } = await import('../catalog/catalogThread.ts');
    serveCatalogs(port);
  },
  reading: async (port) => {
    const { FolderReader } = await import('../catalog/folderReader.ts');
    handleCalls(port, new FolderReader());
  },
  files: async (port) => {
    const { fileJobHandlers } = await import('../transfers/fileJobHandlers.ts');
    handleCalls(port, fileJobHandlers);
  },
};

if (parentPort) await programs[(workerData as ThreadRole).role](parentPort);
