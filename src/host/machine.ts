import { hostname } from 'node:os';
import { localIdOf } from '../core/model/connection.ts';

/** What this machine is called, as a part of file names and ids: homes on network file systems are shared by machines (D30). */
export const machineName = hostname().replaceAll(/[^\w.-]/g, '_') || 'machine';

/**
 * Id of the connection to the local service of this machine, in records and in memory: another machine's is another
 * service (D29).
 */
export const localConnectionId = localIdOf(machineName);
