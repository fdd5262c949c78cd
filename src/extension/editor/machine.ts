import { hostname } from 'node:os';
import { getLocalConnectionId } from '../../core/model/connection.ts';

/** Name of this machine in file names and IDs. Machines can share a home folder (D30: network file systems). */
export const machineName = hostname().replaceAll(/[^\w.-]/g, '_') || 'machine';

/** ID of the connection to this machine's local service. Every machine has its own service (D29: shared service). */
export const localConnectionId = getLocalConnectionId(machineName);
