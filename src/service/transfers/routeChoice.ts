import type { ServedDatabase } from '../catalog/servedDatabases.ts';
import type { RcloneDaemon } from '../stores/rcloneDaemon.ts';
import { FolderRoute, type RouteOptions } from './folderRoute.ts';
import { StoreRoute } from './storeRoute.ts';
import type { TransferRoute } from './transferRoute.ts';

interface RouteChoiceOptions extends Omit<RouteOptions<ServedDatabase['location']>, 'source' | 'destination'> {
  readonly source: ServedDatabase;
  readonly destination: ServedDatabase;
  readonly daemon: RcloneDaemon;
}

/** Returns the route between two databases, which goes through rclone if either is a store. */
export function createRoute({ source, destination, ...options }: RouteChoiceOptions): TransferRoute {
  const [from, to] = [source.location.folder, destination.location.folder];
  if (from === undefined || to === undefined) return new StoreRoute({ ...options, source, destination });
  return new FolderRoute({
    ...options,
    source: { document: source.document, location: { folder: from } },
    destination: { document: destination.document, location: { folder: to } },
  });
}
