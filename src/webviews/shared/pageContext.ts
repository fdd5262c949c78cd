import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { createFormat, type Format } from './format.ts';
import { ViewState } from './viewState.ts';

interface PageServices {
  readonly format: Format;
  readonly view: ViewState;
}

/** Provides the page's services to its components. */
export const PageContext = createContext<PageServices>({
  format: createFormat('en'),
  view: new ViewState(() => undefined),
});

/** Returns the services of the page that contains the calling component. */
export function usePage(): PageServices {
  return useContext(PageContext);
}
