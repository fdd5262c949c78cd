import type * as z from 'zod/mini';
import type { JsonObject } from '../../core/util/json.ts';
import { createFieldReader, type Fields, type FieldSchemas } from './fields.ts';
import type { RouteResponse, ApiRoute } from './router.ts';

/** The description of one operation for the OpenAPI document, without its schemas. */
interface OperationDescription {
  readonly operationId: string;
  readonly tag: 'service' | 'databases' | 'files' | 'transfers';
  readonly summary: string;
  readonly description: string;
  readonly success: {
    readonly status: number;
    readonly description: string;
    readonly schema?: z.ZodMiniType;
    /** Media type of the body; JSON by default. */
    readonly mediaType?: string;
    /** OpenAPI header objects. */
    readonly headers?: JsonObject;
  };
  readonly example?: JsonObject;
  /** Error statuses with their meaning for this operation, which extend or override those common to all operations. */
  readonly problems?: Readonly<Record<number, string>>;
}

/** A route with its description for OpenAPI and the schemas of its fields. */
export interface DescribedRoute
  extends ApiRoute, OperationDescription, FieldSchemas<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType> {}

interface Operation<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType>
  extends FieldSchemas<P, Q, B>, OperationDescription, Omit<ApiRoute, 'handle'> {
  readonly handle: (fields: Fields<P, Q, B>) => RouteResponse | Promise<RouteResponse>;
}

/** Creates a route whose handler receives validated fields; the same schemas describe the route in OpenAPI. */
export function describeRoute<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType>(
  operation: Operation<P, Q, B>,
): DescribedRoute {
  const { handle, ...rest } = operation;
  const read = createFieldReader(operation);
  return { ...rest, handle: async (source) => await handle(await read(source)) };
}
