/** A node of the syntax tree, and the one around it, as Babel has them. */
type Path = {
  node: {
    type: string
    key?: { name?: string }
    callee?: { type?: string; name?: string }
    arguments?: unknown[]
  }
  parentPath: Path | null
  parent: Path['node'] | null
}

/** The names of the calls that make a refusal: its words are an argument. */
const refusing = new Set(['Refusal', 'refusal', 'unavailable'])

/** Whether a node is made of words for people, or of nothing else: the description of a refusal, or its detail for the log. */
function isWords({ node, parent }: Path): boolean {
  if (parent?.type === 'ObjectProperty' && parent.key?.name === 'detail') return true
  const isCall = parent?.type === 'NewExpression' || parent?.type === 'CallExpression'
  if (!isCall || !refusing.has(parent.callee?.name ?? '')) return false
  const isText = node.type === 'StringLiteral' || node.type === 'TemplateLiteral'
  // The first argument of a Refusal is its code.
  return isText && !(parent.callee?.name === 'Refusal' && parent.arguments?.[0] === node)
}

/** Leaves the words for people alone: that a test reads them says nothing of the decision. */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'words',
    value: {
      shouldIgnore: (path: Path) => (isWords(path) ? 'It is made of words for people.' : undefined),
    },
  },
]
