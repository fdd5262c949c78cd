import type * as z from 'zod/mini';
import type { JsonObject } from '../../core/util/json.ts';
import { fieldReader, type Fields, type FieldSchemas } from './fields.ts';
import type { ApiAnswer, Route } from './router.ts';

/** What the OpenAPI document says of one operation, beyond what its schemas say. */
interface OperationDescription {
  readonly operationId: string;
  readonly tag: 'service' | 'databases' | 'files' | 'transfers';
  readonly summary: string;
  readonly description: string;
  readonly success: {
    readonly status: number;
    readonly description: string;
    readonly schema?: z.ZodMiniType;
    /** The media type of its body; JSON when it is left out. */
    readonly mediaType?: string;
    /** Header objects of OpenAPI. */
    readonly headers?: JsonObject;
  };
  /** An example of the body. */
  readonly example?: JsonObject;
  /** The error statuses that this operation has a meaning for, with it; those that every operation has are added. */
  readonly problems: Readonly<Record<number, string>>;
}

/** A route with its description. */
export interface DescribedRoute extends Route, FieldSchemas<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType> {
  readonly description: OperationDescription;
}

interface Operation<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType>
  extends
    FieldSchemas<P, Q, B>,
    Pick<DescribedRoute, 'method' | 'path' | 'isOpen' | 'needsSharingToken' | 'description'> {
  readonly handle: (fields: Fields<P, Q, B>) => ApiAnswer | Promise<ApiAnswer>;
}

/** Makes a route whose handler gets the fields as the schemas give them; the same schemas describe it to others. */
export function describedRoute<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType>(
  operation: Operation<P, Q, B>,
): DescribedRoute {
  const { handle, ...rest } = operation;
  const read = fieldReader(operation);
  return { ...rest, answer: async (given) => await handle(await read(given)) };
}
