import { stat } from 'node:fs/promises';
import {
  CodeLens,
  Diagnostic,
  DiagnosticSeverity,
  EventEmitter,
  l10n,
  languages,
  Range,
  workspace,
  type TextDocument,
} from 'vscode';
import { checkRecipe, parseRecipe, type ParsedRecipe, type ServiceFacts } from '../../core/recipes/parseRecipe.ts';
import { getLockPath } from '../../core/recipes/recipeLock.ts';
import { isRecipePath } from '../../core/recipes/recipeNames.ts';
import type { RecipeProblem, RecipeProblemKind } from '../../core/recipes/recipeText.ts';
import type { Recipe } from '../../core/recipes/recipeSchema.ts';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import { describeRecipeProblem, getCompareTitle, getRunLockedTitle } from '../words/recipeWords.ts';
import type { CommandId } from './contributions.ts';

/** The problems that the editor itself reports: JSON syntax errors and violations of the schema. */
const reportedByEditor: ReadonlySet<RecipeProblemKind> = new Set([
  ...(['syntax', 'notObject', 'repeatedField', 'missingField'] as const),
  ...(['wrongType', 'wrongValue', 'wrongNumber', 'empty', 'tooLong'] as const),
]);

interface DiagnosticsDependencies {
  /** Resolves to the facts about a recipe's service; undefined unless its connection is active. */
  getFacts(recipe: Recipe): Promise<ServiceFacts | undefined>;
  /** Calls the listener when the facts about a service may have changed. */
  onDidChangeFacts(listener: () => void): Disposable;
}

/**
 * Shows the problems in open recipes that the editor itself doesn't report. Problems that depend on a recipe's service
 * appear only while the service's connection is active.
 */
export class RecipeDiagnostics implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: DiagnosticsDependencies;
  private readonly shown = this.lifetime.track(languages.createDiagnosticCollection('dataTransfer'));

  constructor(dependencies: DiagnosticsDependencies) {
    this.dependencies = dependencies;
    this.lifetime.track(workspace.onDidOpenTextDocument((document) => this.update(document)));
    this.lifetime.track(workspace.onDidChangeTextDocument(({ document }) => this.update(document)));
    this.lifetime.track(workspace.onDidCloseTextDocument(({ uri }) => this.shown.delete(uri)));
    this.lifetime.track(dependencies.onDidChangeFacts(() => this.updateAll()));
    this.updateAll();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private updateAll(): void {
    for (const document of workspace.textDocuments) this.update(document);
  }

  private update(document: TextDocument): void {
    if (!isRecipePath(document.uri.path) || document.uri.scheme === 'git') return;
    const parsed = parseRecipe(document.getText());
    this.show(document, parsed.problems);
    if (parsed.recipe) void this.addServiceProblems(document, parsed, parsed.recipe);
  }

  private async addServiceProblems(document: TextDocument, parsed: ParsedRecipe, recipe: Recipe): Promise<void> {
    const { version } = document;
    const facts = await this.dependencies.getFacts(recipe);
    if (facts && !document.isClosed && document.version === version)
      this.show(document, checkRecipe(parsed.text, recipe, facts));
  }

  private show(document: TextDocument, problems: readonly RecipeProblem[]): void {
    this.shown.set(
      document.uri,
      problems.filter(({ kind }) => !reportedByEditor.has(kind)).map((problem) => createDiagnostic(document, problem)),
    );
  }
}

function createDiagnostic(document: TextDocument, problem: RecipeProblem): Diagnostic {
  const { offset, length } = problem.range;
  const range = new Range(document.positionAt(offset), document.positionAt(offset + length));
  const diagnostic = new Diagnostic(range, describeRecipeProblem(problem), DiagnosticSeverity.Error);
  diagnostic.source = l10n.t('Data Transfer');
  diagnostic.code = problem.kind;
  return diagnostic;
}

/** Provides the code lenses that are shown above a recipe and run commands on it. */
export class RecipeLenses implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly changed = this.lifetime.track(new EventEmitter<void>());

  readonly onDidChangeCodeLenses = this.changed.event;

  constructor() {
    this.lifetime.track(languages.registerCodeLensProvider({ pattern: '**/*.transfer.json' }, this));
    const locks = this.lifetime.track(workspace.createFileSystemWatcher('**/*.transfer.lock.json', false, true));
    this.lifetime.track(locks.onDidCreate(() => this.changed.fire()));
    this.lifetime.track(locks.onDidDelete(() => this.changed.fire()));
  }

  async provideCodeLenses(document: TextDocument): Promise<CodeLens[]> {
    const { recipe } = parseRecipe(document.getText());
    if (!recipe) return [];
    const lenses: { readonly command: CommandId; readonly title: string }[] = [
      { command: 'dataTransfer.dryRunRecipe', title: l10n.t('Dry Run') },
    ];
    if (recipe.to !== undefined) lenses.push({ command: 'dataTransfer.runRecipe', title: l10n.t('Run…') });
    if (await hasLock(document))
      lenses.push(
        { command: 'dataTransfer.runLockedRecipe', title: getRunLockedTitle() },
        { command: 'dataTransfer.compareRecipe', title: getCompareTitle() },
        { command: 'dataTransfer.verifyRecipe', title: l10n.t('Verify') },
        { command: 'dataTransfer.citeRecipe', title: l10n.t('Cite…') },
      );
    return lenses.map((command) => new CodeLens(new Range(0, 0, 0, 0), { ...command, arguments: [document.uri] }));
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}

async function hasLock({ uri }: TextDocument): Promise<boolean> {
  if (uri.scheme !== 'file') return false;
  const stats = await stat(getLockPath(uri.fsPath)).catch(() => undefined);
  return stats?.isFile() ?? false;
}
