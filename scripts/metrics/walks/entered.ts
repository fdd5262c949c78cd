import type { Profiler } from 'node:inspector';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A function of `src` that ran. */
interface EnteredFunction {
  readonly path: string;
  /** Empty for a function without a name, such as most callbacks. */
  readonly name: string;
}

/** The functions of `src` that ran. The keys are unique positions in the code. */
export type Entered = ReadonlyMap<string, EnteredFunction>;

/**
 * Returns the functions of `src` that were called. Leaves out the top level of modules, which runs once when a module is
 * loaded.
 */
export function readEntered(root: string, scripts: readonly Profiler.ScriptCoverage[]): Entered {
  const entered = scripts.flatMap(({ url, functions }) => {
    const path = toPath(root, url);
    return path.startsWith('src/') ? functions.filter(isEntered).map((one) => toEntry(path, one)) : [];
  });
  return new Map(entered);
}

function toPath(root: string, url: string): string {
  return url.startsWith('file:') ? relative(root, fileURLToPath(url)).replaceAll('\\', '/') : '';
}

function isEntered({ functionName, ranges: [range] }: Profiler.FunctionCoverage): boolean {
  const isModule = functionName === '' && range?.startOffset === 0;
  return !isModule && range !== undefined && range.count > 0;
}

function toEntry(path: string, { functionName: name, ranges }: Profiler.FunctionCoverage): [string, EnteredFunction] {
  return [`${path}:${String(ranges[0]?.startOffset)}`, { path, name }];
}

/** Returns the functions that any of the threads entered. */
export function joinEntered(threads: readonly Entered[]): Entered {
  return new Map(threads.flatMap((thread) => [...thread]));
}
