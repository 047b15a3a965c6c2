import ts from 'typescript';

/** What removes a guard; README.md describes them. */
export const OPERATORS = ['skip', 'never', 'always', 'nothing', 'zero', 'first'] as const;

export type Operator = (typeof OPERATORS)[number];

/** A part of a text, and what takes its place. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** @returns a text where the operator does not fit the node: why. */
export function replacementOf(how: Operator, node: ts.Node, source: ts.SourceFile): Replacement | string {
  const replace = (part: ts.Node, text: string): Replacement => ({
    start: part.getStart(source),
    end: part.getEnd(),
    text,
  });
  if (how === 'skip') {
    if (ts.isStatement(node)) return replace(node, ';');
    return isElement(node) ? withoutElement(node, source) : 'only a statement or an element of a list can be skipped';
  }
  const value = subjectOf(node);
  if (value === undefined) return `there is no value for ${how}`;
  switch (how) {
    case 'never':
    case 'always':
      return replace(ts.isConditionalExpression(value) ? value.condition : value, String(how === 'always'));
    case 'nothing':
      return replace(value, 'undefined');
    case 'zero':
      return replace(value, '0n');
    case 'first':
      return ts.isBinaryExpression(value)
        ? replace(value, `(${value.left.getText(source)})`)
        : 'first needs an operator with two operands';
  }
}

/** The condition of a branch, the value that is returned or assigned, or the expression itself. */
function subjectOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isParenthesizedExpression(node)) return subjectOf(node.expression);
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression;
  if (ts.isReturnStatement(node)) return node.expression;
  if (ts.isVariableStatement(node)) {
    const [only, ...more] = node.declarationList.declarations;
    return more.length === 0 ? only?.initializer : undefined;
  }
  if (ts.isExpressionStatement(node)) {
    const { expression } = node;
    const isAssigned = ts.isBinaryExpression(expression) && expression.operatorToken.kind === ts.SyntaxKind.EqualsToken;
    return isAssigned ? (expression as ts.BinaryExpression).right : undefined;
  }
  if (ts.isPropertyAssignment(node)) return node.initializer;
  return ts.isExpression(node) ? node : undefined;
}

/** Of an array, an object or the arguments of a call. */
function isElement(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isObjectLiteralExpression(parent) || ts.isArrayLiteralExpression(parent)) return true;
  return (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression !== node;
}

function withoutElement(node: ts.Node, source: ts.SourceFile): Replacement {
  const [comma = ''] = /^\s*,/.exec(source.text.slice(node.getEnd())) ?? [];
  return { start: node.getStart(source), end: node.getEnd() + comma.length, text: '' };
}
