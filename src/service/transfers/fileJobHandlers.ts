import { carryFiles } from './carryFiles.ts';
import { findLost } from './findLost.ts';
import { moveFiles } from './moveFiles.ts';
import { readBackCopy } from './readBackCopy.ts';
import { stageFiles } from './stageFiles.ts';
import { removeParts } from './transferLeftovers.ts';

/** The jobs that a file thread can run. */
export const fileJobHandlers = {
  stage: stageFiles,
  move: moveFiles,
  readBack: readBackCopy,
  carry: carryFiles,
  findLost,
  removeParts,
};
