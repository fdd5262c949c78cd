import type { ThemeName } from '../../test/support/editor/settings.ts';
import type { Stage, StageOptions } from './stage.ts';

/** Something that can be seen, and how it is brought about after the states before it. */
export interface State {
  /** What its pictures are called. */
  readonly name: string;
  readonly steps: (stage: Stage) => Promise<unknown>;
  /** The pointer rests where the steps left it, on what shows a tooltip. */
  readonly isPointerKept?: boolean;
  /** Where it is wanted in this theme only. */
  readonly theme?: ThemeName;
}

/** States that follow one another in one window. */
export interface Scene {
  readonly name: string;
  readonly stage: StageOptions;
  readonly states: readonly State[];
}

/** States that follow one another in one window. */
export function scene(name: string, stage: StageOptions, states: readonly State[]): Scene {
  return { name, stage, states };
}
