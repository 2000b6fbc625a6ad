import type { MarkdownOptions } from 'vitepress'

type Transformer = NonNullable<MarkdownOptions['codeTransformers']>[number]

/** Scopes of TextMate grammars by the class that style.css colours for both themes. */
const scopesByClass: Readonly<Record<string, readonly string[]>> = {
  'code-comment': ['comment', 'punctuation.definition.comment'],
  'code-string': ['string', 'punctuation.definition.string', 'markup.inline.raw'],
  'code-keyword': ['keyword', 'storage', 'keyword.operator.word', 'variable.language'],
  'code-constant': ['constant', 'constant.numeric', 'support.constant'],
  'code-name': ['entity.name', 'support.function', 'support.type.property-name', 'meta.function-call.generic', 'entity.other.attribute-name'],
}

const classes = Object.keys(scopesByClass)
/** A colour that nobody sees: the transformer turns it into a class. */
const mark = (index: number): string => `#00000${index + 1}`

/** A theme with one colour for each class. */
export const markedTheme = {
  name: 'marked',
  type: 'light' as const,
  fg: '#000000',
  bg: '#ffffff',
  settings: Object.values(scopesByClass).map((scope, index) => ({ scope: [...scope], settings: { foreground: mark(index) } })),
}

/** Replaces style attributes by classes. The content security policy forbids the attributes, and classes make pages smaller. */
export const stylesToClasses: Transformer = {
  name: 'styles-to-classes',
  pre(node) {
    delete node.properties.style
  },
  span(node) {
    const color = /#[\da-f]{6}/i.exec(String(node.properties.style ?? ''))?.[0]?.toLowerCase()
    delete node.properties.style
    const name = classes.find((_, index) => mark(index) === color)
    if (name !== undefined) node.properties.class = name
  },
}
