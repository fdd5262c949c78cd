import type { JobResult, LandedJob, MoveJob, StageJob } from './fileJobs.ts';
import { findLost } from './landedWork.ts';
import { moveFiles } from './moveWork.ts';
import { stageFiles } from './stageWork.ts';

/** What a thread that works on files can be asked for. */
export class FileAnswers {
  stage(job: StageJob): JobResult {
    return stageFiles(job);
  }

  move(job: MoveJob): JobResult {
    return moveFiles(job);
  }

  findLost(job: LandedJob): JobResult {
    return findLost(job);
  }
}
