import type { ConnectOptions } from '../client/dataTransferClient.ts';
import type { Connection } from '../model/connection.ts';

/** What the client is given to connect with. */
export function connectOptions(connection: Connection, apiKey: string): ConnectOptions {
  const { server, port, scheme, allowInsecureHttp, transport } = connection;
  return {
    server,
    apiKey,
    ...(port !== undefined && { port }),
    ...(scheme && { scheme }),
    ...(allowInsecureHttp && { allowInsecureHttp }),
    ...(transport && { transport }),
  };
}
