import { lineOf, splitSource } from './split-source.ts'

export interface Import {
  specifier: string
  line: number
  /** `import('…')` at run time: loaded only when that line is reached. */
  isLazy: boolean
}

const importStatement = /^(?:import\b(?!\s*[(.])[^'"`;=()]*?|export\s+(?:type\s+)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?)\s*from\s*)(['"])(.*?)\1/gm
const importStart = /^(?:import\b(?!\s*[(.])|export\s+(?:type\s+)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?)\s*from\b)/gm
const importCall = /\bimport\s*\(\s*(?:(['"])(.*?)\1\s*\))?/g

/**
 * The import statements of a TypeScript file, those of types included. Throws where it cannot tell what is imported, and when it found
 * fewer statements than the file has: a scanner that overlooks imports would call every tree clean.
 */
export function listImports(text: string, path: string): Import[] {
  const { code, codeAndStrings } = splitSource(text)
  const statements = [...codeAndStrings.matchAll(importStatement)]
    // Of what looks like a statement, keep what is one and does not stand in a template.
    .filter((match) => /^(import|export)/.test(code.slice(match.index)))
    .map((match) => ({ specifier: match[2] ?? '', line: lineOf(text, match.index), isLazy: false }))
  const begun = code.match(importStart)?.length ?? 0
  if (statements.length !== begun) throw new Error(`${path}: ${begun} import statements, of which ${statements.length} could be read`)
  const calls = [...codeAndStrings.matchAll(importCall)].filter((match) => code.startsWith('import', match.index))
  return [
    ...statements,
    ...calls.map((match) => {
      const line = lineOf(text, match.index)
      if (match[2] === undefined) throw new Error(`${path}:${line}: import(…) of something that is not written out`)
      return { specifier: match[2], line, isLazy: !/\btypeof\s*$/.test(code.slice(0, match.index)) }
    }),
  ]
}
