/** The lint rule that requires a doc comment on each export. */

/** Returns true for a declaration that an export contains; re-exports have their doc comment at the declaration. */
function declares(node) {
  return node.declaration !== null && node.declaration !== undefined;
}

/** `house/docs`: requires a doc comment directly before each exported declaration. */
export const docsRule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { missing: 'Write a doc comment for this export, beginning with a verb in the third person.' },
  },
  create({ report, sourceCode }) {
    const check = (node) => {
      const comment = sourceCode.getCommentsBefore(node).at(-1);
      if (declares(node) && !(comment?.type === 'Block' && comment.value.startsWith('*'))) {
        report({ node, messageId: 'missing' });
      }
    };
    return { ExportNamedDeclaration: check };
  },
};
