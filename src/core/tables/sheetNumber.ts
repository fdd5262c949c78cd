/** Returns the key of a cell in `roundedCells` of a table. */
export function getCellKey(line: number, column: number): string {
  return `${line}/${column}`;
}

/** A number in a spreadsheet. */
export class SheetNumber {
  /** The number with all digits, because an ID has no exponent. */
  readonly text: string;
  /** True for an integer above 2^53, or one in scientific notation with more digits than are stored. */
  readonly isRounded: boolean;

  constructor(text: string) {
    const number = Number(text);
    const isInteger = Number.isInteger(number);
    const isShortened = /e/i.test(text) && Math.abs(number) >= 1e15;
    this.isRounded = isInteger && (isShortened || !Number.isSafeInteger(number));
    this.text = isInteger && !/^-?\d+$/.test(text) ? BigInt(number).toString() : text;
  }
}
