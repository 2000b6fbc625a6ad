import { transformSync } from 'esbuild'
import { parseDocument } from 'yaml'

/** Throws if the text is not valid. */
type Parse = (text: string) => void

interface Language {
  /** Executed by bash, executed as a program of its own, or data. */
  readonly kind: 'shell' | 'program' | 'data'
  /** The parser that every machine has. Shell blocks are parsed by bash, Python by its execution. */
  readonly parse?: Parse
}

const eachLine =
  (pattern: RegExp): Parse =>
  (text) => {
    const wrong = text.split('\n').find((line) => !pattern.test(line))
    if (wrong !== undefined) throw new Error(`cannot read ${JSON.stringify(wrong)}`)
  }

const parseProgram: Parse = (text) => void transformSync(text, { loader: 'ts', logLevel: 'silent' })

const parseYaml: Parse = (text) => {
  const { errors } = parseDocument(text)
  if (errors[0]) throw errors[0]
}

/** Directives end with a semicolon or open a block, and blocks are closed. */
const parseNginx: Parse = (text) => {
  const code = text.replaceAll(/#.*$/gm, '').replaceAll(/"[^"]*"|'[^']*'/g, '""')
  let depth = 0
  for (const [mark] of code.matchAll(/[{}]/g)) {
    depth += mark === '{' ? 1 : -1
    if (depth < 0) throw new Error('a closing brace has no opening one')
  }
  if (depth > 0) throw new Error('a block is not closed')
  const wrong = code.split('\n').find((line) => line.trim() !== '' && !/[;{}]\s*$/.test(line))
  if (wrong !== undefined) throw new Error(`${JSON.stringify(wrong.trim())} does not end with ; or {`)
}

const parseBalanced: Parse = (text) => {
  const code = text.replaceAll(/'[^']*'|"[^"]*"/g, '')
  if (code.split('(').length !== code.split(')').length) throw new Error('the parentheses do not match')
  if (!/;\s*$/.test(code)) throw new Error('the last statement does not end with ;')
}

/** Languages that a code block may have. */
export const languages: Readonly<Record<string, Language>> = {
  sh: { kind: 'shell' },
  python: { kind: 'program' },
  ts: { kind: 'program', parse: parseProgram },
  js: { kind: 'program', parse: parseProgram },
  json: { kind: 'data', parse: (text) => void JSON.parse(text) },
  yaml: { kind: 'data', parse: parseYaml },
  toml: { kind: 'data', parse: eachLine(/^\s*(?:#.*|\[{1,2}[\w."-]+\]{1,2}|[\w."-]+\s*=.+|[\]\]}"',].*|".*|)$/) },
  ini: { kind: 'data', parse: eachLine(/^\s*(?:[#;].*|\[[^\]]+\]|[\w.-]+\s*=.*|)$/) },
  nginx: { kind: 'data', parse: parseNginx },
  sql: { kind: 'data', parse: parseBalanced },
  dockerfile: { kind: 'data', parse: eachLine(/^(?:#.*|[A-Z]+ .*|\s+.*|)$/) },
  text: { kind: 'data' },
}
