import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Logger } from '../../core/util/logger.ts';
import { CatalogAnswers } from '../catalog/catalogAnswers.ts';
import { FolderReader, type AskedReader } from '../catalog/folderReader.ts';
import { FileAnswers } from '../transfers/fileAnswers.ts';
import { answerCalls, ThreadCalls } from './threadCalls.ts';
import { startThread, type LoggedLine, type ThreadRole } from './threadRole.ts';

/** The thread that keeps the catalogues; it has the one that reads folders for itself. */
function serveCatalogues(port: MessagePort): void {
  const reading = startThread('reading');
  const calls = new ThreadCalls<FolderReader>(reading);
  // Without it there are no catalogues: this thread ends too, and whoever needs it starts both again.
  reading.on('error', (error) => {
    throw error;
  });
  const reader: AskedReader = {
    ready: async () => await calls.ask('ready'),
    walk: async (folder, under) => await calls.ask('walk', folder, under),
    next: async (walk) => await calls.ask('next', walk),
    stop: async (walk) => await calls.ask('stop', walk),
    look: async (folder, paths) => await calls.ask('look', folder, paths),
  };
  answerCalls(port, new CatalogAnswers(reader, loggerTo(port)));
}

function loggerTo(port: MessagePort): Logger {
  const log =
    (level: keyof Logger) =>
    (line: string): void =>
      port.postMessage({ level, line } satisfies LoggedLine);
  return { trace: log('trace'), debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

function serve(port: MessagePort, role: ThreadRole['role']): void {
  switch (role) {
    case 'catalogues':
      serveCatalogues(port);
      break;
    case 'reading':
      answerCalls(port, new FolderReader());
      break;
    case 'files':
      answerCalls(port, new FileAnswers());
      break;
  }
}

if (parentPort) serve(parentPort, (workerData as ThreadRole).role);
