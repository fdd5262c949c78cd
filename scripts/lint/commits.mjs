/**
 * Checks the subjects of new commits: `area: imperative summary`, at most 72 characters. The subject of a merge commit
 * can have any form, but must not name a folder or a remote branch. New commits are those after `base`; earlier history
 * follows different rules.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const base = 'bdf862f90a77';
const maxLength = 72;
const subjectPattern = /^[a-z0-9][a-z0-9,. /-]*: [a-z0-9`"'(].*[^.\s]$/;
const machinePattern = / of (?:\/|\.\.?\/)|'(?:origin|refs)\//;

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** Returns the problem with a subject, worded to follow "The subject"; undefined if the subject is valid. */
export function findSubjectProblem(subject, isMerge) {
  if (isMerge) return machinePattern.test(subject) ? 'names a folder or a remote branch' : undefined;
  if (subject.length > maxLength) return `has ${subject.length} characters; ${maxLength} are allowed`;
  return subjectPattern.test(subject)
    ? undefined
    : 'does not have the form `area: imperative summary`, without a period';
}

function isKnown(commit) {
  try {
    git('cat-file', '-e', `${commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the hash, parents and subject of each new commit. If a shallow clone lacks `base`, returns only the newest
 * commit.
 */
function listCommits() {
  const range = isKnown(base) ? [`${base}..HEAD`] : ['-1', 'HEAD'];
  return git('log', '--format=%h%x09%p%x09%s', ...range)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  for (const [hash, parents, ...subject] of listCommits()) {
    const text = subject.join('\t');
    const problem = findSubjectProblem(text, parents.includes(' '));
    if (problem === undefined) continue;
    process.exitCode = 1;
    console.log(`${hash} ${text}\n  The subject ${problem}.`);
  }
}
