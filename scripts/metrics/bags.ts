import ts from 'typescript';
import { formatPosition, walk, type Source } from './sources.ts';

/** Suffixes of the names of types that only bundle the arguments of a function or a constructor. */
const bagName = /(?:Dependencies|Options)$/;

/** Returns the position of each use of `Pick` and `Omit`. */
export function findPicks(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    listNodes(source, ts.isTypeReferenceNode)
      .filter(({ typeName }) => /^(?:Pick|Omit)$/.test(typeName.getText()))
      .map((node) => `${formatPosition(source, node)} ${node.getText().replaceAll(/\s+/g, ' ')}`),
  );
}

/** Returns the name and the position of each type that bundles dependencies or options. */
export function findBags(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    listBags(source).map(
      (bag) => `${formatPosition(source, bag)} ${bag.name.text}: ${listMembers(bag).length} members`,
    ),
  );
}

/** Returns each member of a type that bundles dependencies that is a function rather than an object. */
export function findFunctionMembers(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    listBags(source)
      .filter(({ name }) => name.text.endsWith('Dependencies'))
      .flatMap((bag) =>
        listMembers(bag)
          .filter(isFunctionMember)
          .map((member) => ({ bag, member })),
      )
      .map(({ bag, member }) => `${formatPosition(source, member)} ${bag.name.text}.${member.name?.getText() ?? ''}`),
  );
}

/** Returns each object literal with several functions that only call methods of one and the same object. */
export function findClosureBags(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    listNodes(source, ts.isObjectLiteralExpression).flatMap((literal) => {
      const receivers = literal.properties.map(getReceiver).filter((receiver) => receiver !== undefined);
      const repeated = [...new Set(receivers)].filter((one) => receivers.filter((other) => other === one).length > 1);
      return repeated.map((receiver) => `${formatPosition(source, literal)} ${receiver}`);
    }),
  );
}

type Bag = ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

function listBags(source: Source): Bag[] {
  const isBag = (node: ts.Node): node is Bag =>
    (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) && bagName.test(node.name.text);
  return listNodes(source, isBag);
}

function listMembers(bag: Bag): readonly ts.TypeElement[] {
  if (ts.isInterfaceDeclaration(bag)) return bag.members;
  return ts.isTypeLiteralNode(bag.type) ? bag.type.members : [];
}

function isFunctionMember(member: ts.TypeElement): boolean {
  return (
    ts.isMethodSignature(member) || (ts.isPropertySignature(member) && !!member.type && isFunctionType(member.type))
  );
}

/** Returns true for the type of a function, also if it may be undefined. */
function isFunctionType(type: ts.TypeNode): boolean {
  if (ts.isParenthesizedTypeNode(type)) return isFunctionType(type.type);
  return ts.isUnionTypeNode(type) ? type.types.some(isFunctionType) : ts.isFunctionTypeNode(type);
}

/** Returns the object whose method a property's function calls, if the function does nothing else. */
function getReceiver(property: ts.ObjectLiteralElementLike): string | undefined {
  if (!ts.isPropertyAssignment(property) || !ts.isArrowFunction(property.initializer)) return undefined;
  const { body } = property.initializer;
  const call = ts.isAwaitExpression(body) || ts.isVoidExpression(body) ? body.expression : body;
  if (!ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return undefined;
  return call.arguments.every(ts.isIdentifier) ? call.expression.expression.getText() : undefined;
}

function listNodes<T extends ts.Node>({ tree }: Source, isWanted: (node: ts.Node) => node is T): T[] {
  const found: T[] = [];
  walk(tree, (node) => {
    if (isWanted(node)) found.push(node);
  });
  return found;
}
