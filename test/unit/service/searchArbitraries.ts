import fc from 'fast-check';
import type { StagingStatus } from '../../../src/contract/contract.ts';
import { oddName, trees, type Tree } from './catalogArbitraries.ts';
import type { NaiveTerm } from './naiveSearch.ts';

/** The parameters of a search, other than its text, in the form in which a client sends them. */
interface Specific {
  readonly format?: string;
  readonly path?: string;
  readonly minBytes?: number;
  readonly maxBytes?: number;
  readonly modifiedAfter?: string;
  readonly sort?: 'relevance' | 'path' | 'name' | 'bytes' | 'modified';
  readonly order?: 'asc' | 'desc';
}

/** A tree of files, and a search in it. */
export interface SearchedTree {
  readonly tree: Tree;
  /** The n for which every nth file has a cached hash and therefore counts as staged. */
  readonly stagedEvery: number;
  readonly alternatives: readonly (readonly NaiveTerm[])[];
  readonly specific: Specific;
  readonly status: StagingStatus | undefined;
  readonly cuts: readonly (readonly [offset: number, limit: number])[];
}

/** Generates query texts that often match: parts of the paths and the metadata, or odd names. */
function pieces(tree: Tree): fc.Arbitrary<string> {
  const texts = tree.flatMap(({ path, metadata }) => [path, ...path.split('/'), ...(metadata ?? '').split('"')]);
  const whole = fc.constantFrom(...texts, 'soil', 'clay', 'a');
  const cut = fc.tuple(whole, fc.nat(4), fc.integer({ min: 1, max: 8 })).map(([text, start, length]) => {
    return Array.from(text)
      .slice(start, start + length)
      .join('');
  });
  return fc.oneof(whole, cut, oddName);
}

function patterns(tree: Tree): fc.Arbitrary<string> {
  const wild = fc.constantFrom('*', '**', '?', '/', '**/', '', './');
  return fc
    .tuple(pieces(tree), fc.array(fc.tuple(wild, fc.nat(6), fc.nat(2)), { maxLength: 2 }))
    .map(([text, wilds]) => wilds.reduce((all, [part, at, cut]) => all.slice(0, at) + part + all.slice(at + cut), text))
    .map((text) => text.replace(/["\ud800-\udfff]/g, ''))
    .filter((text) => text !== '');
}

const operators = fc.constantFrom<('<' | '<=' | '=' | '>=' | '>')[]>('<', '<=', '=', '>=', '>');

function createTerm(tree: Tree): fc.Arbitrary<NaiveTerm> {
  const isNot = fc.boolean().map((is) => is);
  const text = pieces(tree);
  const word = text
    .map((piece) => piece.replace(/[\s|"]/g, '').replace(/^-+/, ''))
    .filter((piece) => piece !== '' && piece !== '*' && !/^(format|path|bytes):/iu.test(piece));
  const phrase = text.map((piece) => piece.replaceAll('"', ''));
  const format = phrase.map((piece) => piece.split('.').slice(-2).join('.')).filter((piece) => piece !== '');
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('words'), text: word, isPhrase: fc.constant(false), isNot }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('words'), text: phrase, isPhrase: fc.constant(true), isNot }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('format'), text: format, isNot }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('path'), text: patterns(tree), isNot }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('bytes'), sign: operators, bytes: bytes, isNot }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('everything'), isNot }) },
  );
}

const bytes = fc.nat(3).map((number) => number * 999);

function createSpecific(tree: Tree): fc.Arbitrary<Specific> {
  const modifiedAfter = fc.nat(3).map((ms) => new Date(ms).toISOString());
  const sort = fc.constantFrom(
    'relevance' as const,
    'path' as const,
    'name' as const,
    'bytes' as const,
    'modified' as const,
  );
  const order = fc.constantFrom('asc' as const, 'desc' as const);
  const rare = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
    fc.option(values, { nil: undefined, freq: 1 }).chain((value) => fc.constantFrom(value, undefined, undefined));
  return fc
    .tuple(
      fc.record({ sort, order }, { requiredKeys: [] }),
      fc.record({
        format: rare(pieces(tree)),
        path: rare(patterns(tree)),
        minBytes: rare(bytes),
        maxBytes: rare(bytes),
        modifiedAfter: rare(modifiedAfter),
      }),
    )
    .map(([sorting, filters]) => ({
      ...sorting,
      ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined && value !== '')),
    }));
}

/** Generates trees with searches that often match. */
export const searchedTree: fc.Arbitrary<SearchedTree> = trees({ minLength: 1, maxLength: 1 }).chain(([tree = []]) =>
  fc.record({
    tree: fc.constant(tree),
    stagedEvery: fc.integer({ min: 1, max: 3 }),
    alternatives: fc.oneof(
      { weight: 1, arbitrary: fc.constant([[]]) },
      {
        weight: 9,
        arbitrary: fc.array(fc.array(createTerm(tree), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      },
    ),
    specific: createSpecific(tree),
    status: fc.constantFrom(undefined, undefined, 'staged' as const, 'unstaged' as const),
    cuts: fc.array(fc.tuple(fc.nat(12), fc.integer({ min: 1, max: 12 })), { minLength: 3, maxLength: 3 }),
  }),
);

/** Formats alternatives as a query of the local service (D21: search syntax). */
export function queryText(alternatives: SearchedTree['alternatives']): string {
  return alternatives.map((terms) => terms.map(termText).join(' ')).join(' | ');
}

function termText(term: NaiveTerm): string {
  return `${term.isNot ? '-' : ''}${plainText(term)}`;
}

function plainText(term: NaiveTerm): string {
  switch (term.kind) {
    case 'everything':
      return '*';
    case 'words':
      return term.isPhrase ? `"${term.text}"` : term.text;
    case 'bytes':
      return `bytes:${term.sign}${term.bytes}`;
    default:
      return /[\s|]/.test(term.text) ? `${term.kind}:"${term.text}"` : `${term.kind}:${term.text}`;
  }
}
