/** A database's own search parameter, for the servers that tell of them (D26). */
export interface SearchParameter {
  /** As the server writes it: `string`, `number`, `boolean`, `array(string)`, `array(number)`. */
  readonly type: string;
  /** The values to choose from; empty when any value may be given. */
  readonly values: readonly unknown[];
}
