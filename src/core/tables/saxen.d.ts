/** The part of the XML parser that reads workbooks. The package has no types of its own. */
declare module 'saxen' {
  /** Parses a document and reports its parts. */
  export class Parser {
    on(event: 'openTag', handler: (name: string, getAttributes: () => Record<string, string> | false) => void): this;
    on(event: 'text' | 'cdata' | 'closeTag', handler: (text: string) => void): this;
    on(event: 'error', handler: (error: Error) => void): this;
    parse(xml: string): unknown;
  }
}
