import { lineOf, splitSource } from './split-source.ts'

export interface Import {
  specifier: string
  line: number
  /** A dynamic `import('…')`. */
  isLazy: boolean
}

const importStatement = /^(?:import\b(?!\s*[(.])[^'"`;=()]*?|export\s+(?:type\s+)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?)\s*from\s*)(['"])(.*?)\1/gm
const importStart = /^(?:import\b(?!\s*[(.])|export\s+(?:type\s+)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?)\s*from\b)/gm
const importCall = /\bimport\s*\(\s*(?:(['"])(.*?)\1\s*\))?/g

/**
 * The import statements of a TypeScript file, including type imports. Throws when a specifier cannot be read, and when it parsed fewer statements
 * than the file has: a scanner that misses imports would report no violations.
 */
export function listImports(text: string, path: string): Import[] {
  const { code, codeAndStrings } = splitSource(text)
  const statements = [...codeAndStrings.matchAll(importStatement)]
    // Drops matches inside templates and comments.
    .filter((match) => /^(import|export)/.test(code.slice(match.index)))
    .map((match) => ({ specifier: match[2] ?? '', line: lineOf(text, match.index), isLazy: false }))
  const begun = code.match(importStart)?.length ?? 0
  if (statements.length !== begun) throw new Error(`${path}: ${begun} import statements, but only ${statements.length} could be parsed`)
  const calls = [...codeAndStrings.matchAll(importCall)].filter((match) => code.startsWith('import', match.index))
  return [
    ...statements,
    ...calls.map((match) => {
      const line = lineOf(text, match.index)
      if (match[2] === undefined) throw new Error(`${path}:${line}: import(…) without a literal specifier`)
      return { specifier: match[2], line, isLazy: !/\btypeof\s*$/.test(code.slice(0, match.index)) }
    }),
  ]
}
