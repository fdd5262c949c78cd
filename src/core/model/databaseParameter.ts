/**
 * A search parameter that only one database supports. Some servers list these parameters (D26: service HTTP behavior).
 */
export interface SearchParameter {
  /** The type exactly as received, such as `string`, `number` or `array(string)`. */
  readonly type: string;
  /** The allowed values; empty if any value is allowed. */
  readonly values: readonly unknown[];
}
