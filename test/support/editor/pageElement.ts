/**
 * What the driver uses of an element when it reads one inside the browser's page. The rest of the program has no
 * browser's types, on purpose: nothing that runs in Node should compile against `window` or `document`.
 */
export interface PageElement {
  readonly className: string;
  readonly innerText: string;
  readonly offsetParent: unknown;
  readonly placeholder: string;
  readonly value: string;
  readonly disabled: boolean;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  getAttribute(name: string): string | null;
}
