import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Logger } from '../../core/util/logger.ts';
import { CatalogHandlers } from '../catalog/catalogHandlers.ts';
import { FolderReader, type AsyncFolderReader } from '../catalog/folderReader.ts';
import { fileJobHandlers } from '../transfers/fileJobHandlers.ts';
import { handleCalls, ThreadCalls } from './threadCalls.ts';
import { startThread, type LoggedLine, type ThreadRole } from './threadRole.ts';

/** Runs the catalog thread, which uses a separate thread for reading folders. */
function serveCatalogs(port: MessagePort): void {
  const reading = startThread('reading');
  const calls = new ThreadCalls<FolderReader>(reading);
  // Catalogs can't work without the reader. If it fails, this thread ends too, and its owner restarts both.
  reading.on('error', (error) => {
    throw error;
  });
  const reader: AsyncFolderReader = {
    ready: async () => await calls.call('ready'),
    walk: async (folder, under) => await calls.call('walk', folder, under),
    next: async (walk) => await calls.call('next', walk),
    stop: async (walk) => await calls.call('stop', walk),
    inspectPaths: async (folder, paths) => await calls.call('inspectPaths', folder, paths),
  };
  handleCalls(port, new CatalogHandlers(reader, createPortLogger(port)));
}

function createPortLogger(port: MessagePort): Logger {
  const log =
    (level: keyof Logger) =>
    (line: string): void =>
      port.postMessage({ level, line } satisfies LoggedLine);
  return { trace: log('trace'), debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

const programs: Readonly<Record<ThreadRole['role'], (port: MessagePort) => void>> = {
  catalogs: serveCatalogs,
  reading: (port) => handleCalls(port, new FolderReader()),
  files: (port) => handleCalls(port, fileJobHandlers),
};

if (parentPort) programs[(workerData as ThreadRole).role](parentPort);
