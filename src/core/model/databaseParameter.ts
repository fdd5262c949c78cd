/**
 * A search parameter that only one database supports. Some servers list these parameters (D26: service HTTP behavior).
 */
export interface SearchParameter {
  /** The type exactly as received: `string`, `number`, `boolean`, `array(string)`, `array(number)`. */
  readonly type: string;
  /** The allowed values; empty if any value is allowed. */
  readonly values: readonly unknown[];
}
