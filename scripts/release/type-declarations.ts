/** A type or a value at the top level of a source file. */
export interface Declaration {
  readonly kind: 'type' | 'value'
  readonly name: string
  readonly isExported: boolean
  readonly isGeneric: boolean
  /** Without `export`. */
  readonly text: string
  /** The doc comment with its line break, or an empty text. */
  readonly comment: string
  /** Doc comments of the keys of an object literal, by key. */
  readonly fieldComments: ReadonlyMap<string, string>
}

/** Lists the declarations of a formatted source file: each starts in the first column, and its other lines are indented or close a bracket. */
export function readDeclarations(source: string): Declaration[] {
  return splitStatements(source).flatMap(({ text, comment }) => {
    const match = /^(export )?(type|interface|const) (\w+)(<)?/.exec(text)
    if (!match) return []
    const [, exported, word, name = '', generic] = match
    return {
      kind: word === 'const' ? 'value' : 'type',
      name,
      isExported: exported !== undefined,
      isGeneric: generic !== undefined,
      text: text.replace(/^export /, ''),
      comment,
      fieldComments: new Map(
        [...text.matchAll(/^ {2}(\/\*\*(?:[^*]|\*(?!\/))*\*\/)\n {2}(\w+)\b/gm)].map(([, fieldComment = '', key = '']) => [key, fieldComment]),
      ),
    }
  })
}

/** The statements of a file, each with the doc comment right above it. */
function splitStatements(source: string): { text: string; comment: string }[] {
  const statements: { text: string; comment: string }[] = []
  let comment = ''
  for (const part of source.split(/\n(?=[^\s})\]|*])/)) {
    const text = part.trimEnd()
    if (text.startsWith('/**')) comment = /\n\s*$/.test(part) ? '' : `${text}\n`
    else {
      statements.push({ text, comment })
      comment = ''
    }
  }
  return statements
}
