import type { Frame, Page } from 'playwright-core';

/**
 * The theme that the editor passes to a page: CSS variables, the class of the theme's kind, and the default style
 * sheet.
 */
export interface PageTheme {
  readonly variables: string;
  readonly className: string;
  readonly styles: string;
}

/** Returns the current theme of a page in the real editor. */
export async function readTheme(page: Frame): Promise<PageTheme> {
  return await page.evaluate<PageTheme>(`({
    variables: document.documentElement.style.cssText,
    className: document.body.className,
    styles: document.getElementById('_defaultStyles')?.textContent ?? '',
  })`);
}

/** Applies the editor's theme to a page that runs outside the editor. */
export async function applyTheme(page: Page, theme: PageTheme): Promise<void> {
  await page.evaluate(`((theme) => {
    document.documentElement.style.cssText = theme.variables;
    document.body.className = theme.className;
    const styles = new CSSStyleSheet();
    styles.replaceSync(theme.styles);
    document.adoptedStyleSheets = [styles];
  })(${JSON.stringify(theme)})`);
}
