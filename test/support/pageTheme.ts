import type { Frame, Page } from 'playwright-core';

/** What the editor gives a page for a theme: the theme's variables, the class of its kind, and its own style sheet. */
export interface PageTheme {
  readonly variables: string;
  readonly className: string;
  readonly styles: string;
}

/** Reads the theme that a page of the real editor wears now. */
export async function themeOf(page: Frame): Promise<PageTheme> {
  return await page.evaluate<PageTheme>(`({
    variables: document.documentElement.style.cssText,
    className: document.body.className,
    styles: document.getElementById('_defaultStyles')?.textContent ?? '',
  })`);
}

/** Gives a page that stands by itself the look that it has in the editor. */
export async function wearTheme(page: Page, theme: PageTheme): Promise<void> {
  await page.evaluate(`((theme) => {
    document.documentElement.style.cssText = theme.variables;
    document.body.className = theme.className;
    const styles = new CSSStyleSheet();
    styles.replaceSync(theme.styles);
    document.adoptedStyleSheets = [styles];
  })(${JSON.stringify(theme)})`);
}
